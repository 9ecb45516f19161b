-- Tokens with which programs of a person come in over HTTP. A token itself is kept nowhere: `digest` is its SHA-256 in hex.
-- `key` is the one that its maker came in with: the token is worth no more, and goes with it. Where `scoped` is 1, there are only
-- the rooms of `token_rooms` for it; none is left once they are all deleted.
CREATE TABLE tokens (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL UNIQUE,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  key    TEXT,
  scoped INTEGER NOT NULL CHECK (scoped IN (0, 1)),
  until  INTEGER NOT NULL,
  at     INTEGER NOT NULL
) STRICT;

CREATE INDEX tokens_by_person ON tokens (person);

CREATE TABLE token_rooms (
  token INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  room  TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  PRIMARY KEY (token, room)
) STRICT, WITHOUT ROWID;

CREATE INDEX token_rooms_by_room ON token_rooms (room);
