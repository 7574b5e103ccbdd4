-- What users claim themselves. Rows are appended, and the latest one of a number counts.

CREATE TABLE own_claims (
    claim_number BIGINT NOT NULL,
    event_number BIGINT NOT NULL,
    document VARCHAR NOT NULL, -- the fields of a row of claims.csv as JSON
    deleted BOOLEAN NOT NULL, -- false: kept, or brought back
    said_by VARCHAR NOT NULL,
    said_at TIMESTAMP NOT NULL -- UTC
);
