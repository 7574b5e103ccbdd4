-- Scenarios that users keep by name. Rows are appended, and the latest one of a number counts.

CREATE TABLE saved_scenarios (
    scenario_number BIGINT NOT NULL, -- stays when the name changes
    event_number BIGINT NOT NULL,
    name VARCHAR NOT NULL,
    document VARCHAR NOT NULL, -- the scenario file
    deleted BOOLEAN NOT NULL, -- false: kept, or brought back
    saved_by VARCHAR NOT NULL,
    saved_at TIMESTAMP NOT NULL -- UTC
);
