-- Codes that let newcomers in. A code itself is kept nowhere: `digest` is its SHA-256 in hex. One that is used up is
-- deleted. With a room, the newcomer is invited there; a private room must still be one that the maker manages.
CREATE TABLE invites (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  digest    TEXT NOT NULL UNIQUE,
  "by"      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room      TEXT REFERENCES rooms (name) ON DELETE CASCADE,
  uses      INTEGER NOT NULL CHECK (uses > 0),
  uses_left INTEGER NOT NULL CHECK (uses_left > 0 AND uses_left <= uses),
  until     INTEGER NOT NULL,
  at        INTEGER NOT NULL
) STRICT;

CREATE INDEX invites_by_person ON invites ("by");

-- The former names of people, which nobody else can have until then.
CREATE TABLE kept_names (
  skeleton TEXT PRIMARY KEY,
  person   TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  until    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_names_by_person ON kept_names (person);
