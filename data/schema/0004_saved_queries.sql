-- Queries that users keep by name. Rows are appended, and the latest one of a name counts.

CREATE TABLE saved_queries (
    name VARCHAR NOT NULL,
    query_number BIGINT NOT NULL,
    query VARCHAR NOT NULL, -- '' deletes it
    saved_by VARCHAR NOT NULL,
    saved_at TIMESTAMP NOT NULL -- UTC
);
