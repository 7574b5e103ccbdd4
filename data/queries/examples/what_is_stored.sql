-- What is stored, file by file
SELECT
    runs.file_name,
    runs.format_label,
    runs.imported_at,
    count(*) AS points,
    min(concurrency_count) AS lowest_concurrency,
    max(concurrency_count) AS highest_concurrency,
    sum(error_count) AS errors
FROM runs
INNER JOIN measurements USING (source_id)
GROUP BY ALL
ORDER BY imported_at DESC;
