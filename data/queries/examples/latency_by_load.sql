-- Speed of one user as more share the machine
SELECT
    concurrency_count,
    1 / coalesce(tpot_s_p50, tpot_s_mean) AS stream_rate_tok_per_s,
    ttft_s_p50,
    concat_ws(
        ' ', accelerator_count, accelerator, engine, precision, isl_tok::BIGINT, 'in', osl_tok::BIGINT, 'out'
    ) AS system
FROM all_measurements
WHERE concurrency_count IS NOT NULL AND coalesce(tpot_s_p50, tpot_s_mean) > 0
    AND accelerator = 'NVIDIA B200'
    AND model ILIKE '%gpt-oss-120b%'
ORDER BY system, concurrency_count;
