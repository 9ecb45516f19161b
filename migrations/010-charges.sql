-- What each request to a model used, and its prices at that time: a later change of the config changes no past cost.
-- `turns` is 1 for the first charge of a turn, so that a sum of it counts turns. Prices are in millionths of a
-- currency unit per million tokens (src/lib/price.ts), and NULL where the config has none.

CREATE TABLE charges (
  at           INTEGER NOT NULL,
  room         TEXT NOT NULL,
  person       TEXT NOT NULL,
  model        TEXT NOT NULL,
  turns        INTEGER NOT NULL CHECK (turns IN (0, 1)),
  input        INTEGER NOT NULL,
  cached       INTEGER NOT NULL,
  output       INTEGER NOT NULL,
  input_price  INTEGER,
  cached_price INTEGER,
  output_price INTEGER
) STRICT;

CREATE INDEX charges_by_time ON charges (at);
CREATE INDEX charges_by_room ON charges (room, at, input, output);
CREATE INDEX charges_by_person ON charges (person, at, input, output);

INSERT INTO charges (at, room, person, model, turns, input, cached, output)
SELECT started_at, room, requester, model, 1, input, min(ifnull(cached, 0), input), output
FROM turns WHERE input IS NOT NULL AND output IS NOT NULL;

-- Quotas read charges now.
DROP INDEX turns_by_requester;

-- The turn that started this one; NULL for the turn that somebody called for.
ALTER TABLE turns ADD COLUMN parent TEXT;
