-- The latest word on each scenario that was ever kept, by name; deleted ones too.
SELECT scenario_number, name, document, deleted, saved_by, saved_at
FROM store.saved_scenarios
QUALIFY row_number() OVER (PARTITION BY scenario_number ORDER BY event_number DESC) = 1
ORDER BY lower(name), name, scenario_number;
