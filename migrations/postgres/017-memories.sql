-- What models are told in every turn, because people asked to remember it. All versions; an empty text: it was forgotten.

-- Without a room it is what the person said of themselves; else it is the room's, and the person is the one who said it.
CREATE TABLE memories (
  room    TEXT COLLATE "C" REFERENCES rooms (name) ON DELETE CASCADE,
  person  TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  number  BIGINT NOT NULL,
  version BIGINT NOT NULL,
  text    TEXT COLLATE "C" NOT NULL,
  author  TEXT COLLATE "C" NOT NULL,
  at      BIGINT NOT NULL
);

CREATE UNIQUE INDEX memories_by_room ON memories (room, number, version) WHERE room IS NOT NULL;
CREATE UNIQUE INDEX memories_of_person ON memories (person, number, version) WHERE room IS NULL;

-- Rooms in which what a person said of themselves goes along, or does not. Absent: it does if they own the room.
CREATE TABLE memory_rooms (
  person TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room   TEXT COLLATE "C" NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  goes   BIGINT NOT NULL CHECK (goes IN (0, 1)),
  PRIMARY KEY (person, room)
);
