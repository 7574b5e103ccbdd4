-- The mappings that are kept and not forgotten, the latest first.
SELECT document, said_on
FROM (
    SELECT
        arg_max(document, mapping_number) AS document,
        arg_max(said_on, mapping_number) AS said_on
    FROM store.column_mappings
    GROUP BY fingerprint
)
WHERE document <> ''
ORDER BY said_on DESC, document;
