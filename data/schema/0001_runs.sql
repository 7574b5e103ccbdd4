-- What was imported. Rows are appended; a label or a removal is a new row, and the latest one counts.

CREATE TABLE runs (
    source_id VARCHAR PRIMARY KEY, -- 'sha256:' and the hash of the file's bytes: the same file is stored once
    file_name VARCHAR NOT NULL,
    format_key VARCHAR NOT NULL,
    format_label VARCHAR NOT NULL,
    tool_version VARCHAR,
    imported_at TIMESTAMP NOT NULL, -- UTC
    imported_by VARCHAR NOT NULL,
    row_count BIGINT NOT NULL
);

CREATE TABLE run_labels (
    source_id VARCHAR NOT NULL,
    label_number BIGINT NOT NULL,
    field VARCHAR NOT NULL,
    label VARCHAR NOT NULL, -- '' takes the label back
    labelled_at TIMESTAMP NOT NULL
);

CREATE TABLE run_removals (
    source_id VARCHAR NOT NULL,
    removal_number BIGINT NOT NULL,
    removed BOOLEAN NOT NULL, -- false: taken back
    removed_at TIMESTAMP NOT NULL
);

CREATE TABLE measurements (
    source_id VARCHAR NOT NULL,
    row_number BIGINT NOT NULL,
    tier VARCHAR,
    model VARCHAR,
    accelerator VARCHAR,
    accelerator_count BIGINT,
    precision VARCHAR,
    engine VARCHAR,
    isl_tok DOUBLE,
    osl_tok DOUBLE,
    load_kind VARCHAR,
    concurrency_count DOUBLE,
    offered_rate_req_per_s DOUBLE,
    batch_count DOUBLE,
    duration_s DOUBLE,
    request_count BIGINT,
    error_count BIGINT,
    incomplete_count BIGINT,
    ttft_s_mean DOUBLE,
    ttft_s_p50 DOUBLE,
    ttft_s_p90 DOUBLE,
    ttft_s_p95 DOUBLE,
    ttft_s_p99 DOUBLE,
    itl_s_mean DOUBLE,
    itl_s_p50 DOUBLE,
    itl_s_p90 DOUBLE,
    itl_s_p95 DOUBLE,
    itl_s_p99 DOUBLE,
    tpot_s_mean DOUBLE,
    tpot_s_p50 DOUBLE,
    tpot_s_p90 DOUBLE,
    tpot_s_p95 DOUBLE,
    tpot_s_p99 DOUBLE,
    e2e_s_mean DOUBLE,
    e2e_s_p50 DOUBLE,
    e2e_s_p90 DOUBLE,
    e2e_s_p95 DOUBLE,
    e2e_s_p99 DOUBLE,
    output_rate_tok_per_s DOUBLE,
    total_rate_tok_per_s DOUBLE,
    request_rate_req_per_s DOUBLE,
    requested_tier VARCHAR,
    served_tier VARCHAR,
    measured_by VARCHAR,
    measured_on DATE,
    notes VARCHAR
);
