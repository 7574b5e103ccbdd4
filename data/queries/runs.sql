-- Every file that was imported and not removed, the latest first.
SELECT
    source_id,
    file_name,
    format_key,
    format_label,
    tool_version,
    imported_at,
    imported_by,
    row_count,
    tier,
    model,
    accelerator,
    accelerator_count,
    precision,
    engine,
    requested_tier,
    served_tier,
    measured_by,
    measured_on,
    notes
FROM runs
ORDER BY imported_at DESC, source_id;
