-- A factor is now kept for each server and is never below 1, so what was learned before is learned again.
-- Doubted reports are those that taught nothing, because the server seems to have read only a part of the prompt.

DELETE FROM calibrations;
ALTER TABLE calibrations ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;

-- What servers tell of their models and what refusals taught: JSON, see StoredFacts in src/turns/ports.ts.
CREATE TABLE model_facts (
  model TEXT PRIMARY KEY,
  facts TEXT NOT NULL
) STRICT;

-- Of a turn's input tokens, those that the provider had cached; NULL where it did not say.
ALTER TABLE turns ADD COLUMN cached INTEGER;
