-- What one person's tools may do in one room without asking again.
CREATE TABLE grants (
  room   TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  id     INTEGER NOT NULL,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name   TEXT NOT NULL,
  tool   TEXT NOT NULL,
  target TEXT NOT NULL,
  -- When it is over; NULL: when it is revoked.
  until  INTEGER,
  "by"   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  PRIMARY KEY (room, id),
  UNIQUE (person, room, tool, target)
) STRICT;
