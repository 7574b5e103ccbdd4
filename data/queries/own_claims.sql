-- The latest word on each claim of the users', in the order they were made; deleted ones too.
SELECT claim_number, document, deleted, said_by, said_at
FROM store.own_claims
QUALIFY row_number() OVER (PARTITION BY claim_number ORDER BY event_number DESC) = 1
ORDER BY claim_number;
