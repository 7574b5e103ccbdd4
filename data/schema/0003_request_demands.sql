-- What a log of requests says about demand: one JSON document a file, as `import --json` writes it.

CREATE TABLE request_demands (
    source_id VARCHAR PRIMARY KEY,
    demand VARCHAR NOT NULL
);
