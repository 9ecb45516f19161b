-- What a room instructs its models, all versions. An empty model: all models; an empty text: it was ended.

CREATE TABLE room_instructions (
  room    TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  model   TEXT NOT NULL,
  version INTEGER NOT NULL,
  text    TEXT NOT NULL,
  author  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (room, model, version)
) STRICT;
