-- What a reader sees: files not removed, measurements with the user's labels, and the built-in ones beside them.

CREATE VIEW current_removals AS
SELECT source_id, arg_max(removed, removal_number) AS removed
FROM store.run_removals
GROUP BY source_id;

CREATE VIEW current_labels AS
SELECT
    source_id,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'tier'), '') AS tier,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'model'), '') AS model,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'accelerator'), '') AS accelerator,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'accelerator_count'), '') AS accelerator_count,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'precision'), '') AS precision,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'engine'), '') AS engine,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'requested_tier'), '') AS requested_tier,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'served_tier'), '') AS served_tier,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'measured_by'), '') AS measured_by,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'measured_on'), '') AS measured_on,
    nullif(arg_max(label, label_number) FILTER (WHERE field = 'notes'), '') AS notes
FROM store.run_labels
GROUP BY source_id;

CREATE VIEW all_runs AS
SELECT
    runs.*,
    coalesce(current_removals.removed, false) AS removed,
    current_labels.tier,
    current_labels.model,
    current_labels.accelerator,
    current_labels.accelerator_count,
    current_labels.precision,
    current_labels.engine,
    current_labels.requested_tier,
    current_labels.served_tier,
    current_labels.measured_by,
    current_labels.measured_on,
    current_labels.notes
FROM store.runs AS runs
LEFT JOIN current_removals USING (source_id)
LEFT JOIN current_labels USING (source_id);

CREATE VIEW runs AS
SELECT * EXCLUDE (removed)
FROM all_runs
WHERE NOT removed;

CREATE VIEW measurements AS
SELECT
    measured.source_id,
    label_of.file_name AS source_label,
    measured.row_number,
    'ok' AS quality,
    '' AS licence,
    false AS built_in,
    coalesce(label_of.tier, measured.tier) AS tier,
    coalesce(label_of.model, measured.model) AS model,
    coalesce(label_of.accelerator, measured.accelerator) AS accelerator,
    coalesce(try_cast(label_of.accelerator_count AS BIGINT), measured.accelerator_count) AS accelerator_count,
    coalesce(label_of.precision, measured.precision) AS precision,
    coalesce(label_of.engine, measured.engine) AS engine,
    measured.isl_tok,
    measured.osl_tok,
    measured.load_kind,
    measured.concurrency_count,
    measured.offered_rate_req_per_s,
    measured.batch_count,
    measured.duration_s,
    measured.request_count,
    measured.error_count,
    measured.incomplete_count,
    measured.ttft_s_mean,
    measured.ttft_s_p50,
    measured.ttft_s_p90,
    measured.ttft_s_p95,
    measured.ttft_s_p99,
    measured.itl_s_mean,
    measured.itl_s_p50,
    measured.itl_s_p90,
    measured.itl_s_p95,
    measured.itl_s_p99,
    measured.tpot_s_mean,
    measured.tpot_s_p50,
    measured.tpot_s_p90,
    measured.tpot_s_p95,
    measured.tpot_s_p99,
    measured.e2e_s_mean,
    measured.e2e_s_p50,
    measured.e2e_s_p90,
    measured.e2e_s_p95,
    measured.e2e_s_p99,
    measured.output_rate_tok_per_s,
    measured.total_rate_tok_per_s,
    measured.request_rate_req_per_s,
    coalesce(label_of.requested_tier, measured.requested_tier) AS requested_tier,
    coalesce(label_of.served_tier, measured.served_tier) AS served_tier,
    coalesce(label_of.measured_by, measured.measured_by) AS measured_by,
    coalesce(try_cast(label_of.measured_on AS DATE), measured.measured_on) AS measured_on,
    coalesce(label_of.notes, measured.notes) AS notes
FROM store.measurements AS measured
INNER JOIN runs AS label_of USING (source_id);

CREATE TABLE builtin_measurements AS
SELECT * FROM measurements LIMIT 0;

CREATE VIEW all_measurements AS
SELECT * FROM measurements
UNION ALL BY NAME
SELECT * FROM builtin_measurements;
