-- Names with an instruction in a room: a mention of one asks its model. All versions; an empty text: it was removed.

CREATE TABLE room_personas (
  room    TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  version INTEGER NOT NULL,
  model   TEXT NOT NULL,
  text    TEXT NOT NULL,
  tools   TEXT, -- JSON: patterns of the tools that it may call; NULL: all that are in scope
  author  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (room, name, version)
) STRICT;
