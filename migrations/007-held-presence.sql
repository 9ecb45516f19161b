-- Comings and goings that are to be summed up in one entry, and then deleted. They are in the order of `id`.

CREATE TABLE held_presence (
  id    INTEGER PRIMARY KEY,
  room  TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  name  TEXT NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('joined', 'left'))
) STRICT;

CREATE INDEX held_presence_by_room ON held_presence (room, id);
