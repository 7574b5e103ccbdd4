-- Where requests failed
SELECT
    source_label,
    row_number,
    concurrency_count,
    offered_rate_req_per_s,
    request_count,
    error_count,
    error_count / request_count AS error_fraction
FROM all_measurements
WHERE error_count > 0 AND request_count > 0
ORDER BY error_fraction DESC;
