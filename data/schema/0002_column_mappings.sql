-- What users said the columns of a kind of table mean. Rows are appended, and the latest one counts.

CREATE TABLE column_mappings (
    fingerprint VARCHAR NOT NULL, -- hash of the folded headings
    mapping_number BIGINT NOT NULL,
    document VARCHAR NOT NULL, -- the mapping as JSON; '' forgets it
    said_by VARCHAR NOT NULL,
    said_on TIMESTAMP NOT NULL -- UTC
);
