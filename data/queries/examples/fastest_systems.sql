-- Best output throughput per accelerator
SELECT
    accelerator,
    model,
    count(*) AS points,
    max(output_rate_tok_per_s / accelerator_count) AS best_tok_per_s_per_accelerator
FROM all_measurements
WHERE output_rate_tok_per_s IS NOT NULL
GROUP BY ALL
ORDER BY best_tok_per_s_per_accelerator DESC NULLS LAST;
