-- What turns sent, in parts that turns share: SHA-256 of the text, and the text as a raw deflate stream. Step 0 is a turn's first
-- request, and each further step what its request added: JSON, as in turns.prompt and turn_steps, which older versions filled.

CREATE TABLE request_parts (
  hash  BYTEA PRIMARY KEY,
  bytes BYTEA NOT NULL
);

-- They are compressed already.
ALTER TABLE request_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Both are deleted in one transaction, the parts first.
CREATE TABLE turn_parts (
  turn     TEXT COLLATE "C" NOT NULL REFERENCES turns (id),
  step     BIGINT NOT NULL,
  position BIGINT NOT NULL,
  hash     BYTEA NOT NULL REFERENCES request_parts (hash) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (turn, step, position)
);

CREATE INDEX turn_parts_by_hash ON turn_parts (hash, turn);

-- The days after which what a turn sent was removed; null if it was not removed for its age.
ALTER TABLE turns ADD COLUMN request_days BIGINT;

-- The turns of older versions that still have what they sent.
CREATE INDEX turns_whole ON turns (started_at, id) WHERE prompt IS NOT NULL;
