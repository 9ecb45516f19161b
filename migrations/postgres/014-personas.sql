-- Names with an instruction in a room: a mention of one asks its model. All versions; an empty text: it was removed.

CREATE TABLE room_personas (
  room    TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  name    TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  model   TEXT COLLATE "C" NOT NULL,
  text    TEXT COLLATE "C" NOT NULL,
  tools   TEXT COLLATE "C", -- JSON: patterns of the tools that it may call; NULL: all that are in scope
  author  TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (room, name, version)
);
