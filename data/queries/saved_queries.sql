-- Queries that are kept and not deleted, by name.
SELECT name, query
FROM (
    SELECT name, arg_max(query, query_number) AS query
    FROM store.saved_queries
    GROUP BY name
)
WHERE query <> ''
ORDER BY lower(name), name;
