-- Who pays for each request: the person, their key with all its names, and their network (src/chat/limits/payers.ts). Quotas
-- ask for the last day, so no more is kept; the charges stay.

CREATE TABLE spendings (
  payer  TEXT NOT NULL,
  at     INTEGER NOT NULL,
  tokens INTEGER NOT NULL
) STRICT;

CREATE INDEX spendings_by_payer ON spendings (payer, at, tokens);
CREATE INDEX spendings_by_time ON spendings (at);

INSERT INTO spendings (payer, at, tokens)
SELECT 'person ' || people.id, charges.at, input + output FROM charges JOIN people ON people.name = charges.person
WHERE charges.at > (unixepoch() - 86400) * 1000;

DROP INDEX charges_by_person;

-- Of `input` and `output`, our own count: a request that was stopped or broke off has no report.
ALTER TABLE charges ADD COLUMN input_estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charges ADD COLUMN output_estimated INTEGER NOT NULL DEFAULT 0;
