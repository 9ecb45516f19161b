-- Who may not come in, who may not speak, and rooms in which nobody may. `people` and `keys` are JSON lists of all names and
-- keys that count as the one who is meant: the same key under another name is the same person.

CREATE TABLE sanctions (
  id      TEXT PRIMARY KEY,
  kind    TEXT NOT NULL CHECK (kind IN ('ban', 'mute', 'archive')),
  -- NULL: the whole server.
  room    TEXT REFERENCES rooms (name) ON DELETE CASCADE,
  who     TEXT NOT NULL,
  people  TEXT NOT NULL,
  keys    TEXT NOT NULL,
  network TEXT,
  reason  TEXT NOT NULL,
  "by"    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  -- When it is over; NULL: when it is lifted.
  until   INTEGER
) STRICT;
