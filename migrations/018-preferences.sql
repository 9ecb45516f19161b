-- How people want their sessions: one row for each option that somebody has set. The server knows which there are.
CREATE TABLE preferences (
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  option TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (person, option)
) STRICT, WITHOUT ROWID;

-- The newest entry of a room that was there when the person last left it.
CREATE TABLE last_seen (
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room   TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  entry  TEXT NOT NULL,
  PRIMARY KEY (person, room)
) STRICT, WITHOUT ROWID;
