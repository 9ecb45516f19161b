-- What turns sent, in parts that turns share: SHA-256 of the text, and the text as a raw deflate stream. Step 0 is a turn's first
-- request, and each further step what its request added: JSON, as in turns.prompt and turn_steps, which older versions filled.

CREATE TABLE request_parts (
  hash  BLOB PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

-- Both are deleted in one transaction, the parts first.
CREATE TABLE turn_parts (
  turn     TEXT NOT NULL REFERENCES turns (id),
  step     INTEGER NOT NULL,
  position INTEGER NOT NULL,
  hash     BLOB NOT NULL REFERENCES request_parts (hash) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (turn, step, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_parts_by_hash ON turn_parts (hash, turn);

-- The days after which what a turn sent was removed; null if it was not removed for its age.
ALTER TABLE turns ADD COLUMN request_days INTEGER;

-- The turns of older versions that still have what they sent.
CREATE INDEX turns_whole ON turns (started_at, id) WHERE prompt IS NOT NULL;
