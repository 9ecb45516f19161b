-- What a room instructs its models, all versions. An empty model: all models; an empty text: it was ended.

CREATE TABLE room_instructions (
  room    TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  model   TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  text    TEXT COLLATE "C" NOT NULL,
  author  TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL,
  PRIMARY KEY (room, model, version)
);
