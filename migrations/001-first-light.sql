-- Applied once, in one transaction, and never edited afterwards: a change is a new file.
-- Times are milliseconds since the epoch; JSON is text.

CREATE TABLE people (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  skeleton   TEXT NOT NULL UNIQUE,
  admin      INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE person_keys (
  person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  added_at    INTEGER NOT NULL,
  PRIMARY KEY (person, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE rooms (
  name       TEXT PRIMARY KEY,
  topic      TEXT NOT NULL,
  vibe       TEXT NOT NULL,
  private    INTEGER NOT NULL CHECK (private IN (0, 1)),
  owner      TEXT REFERENCES people (id),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
  room       TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  person     TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  membership TEXT NOT NULL CHECK (membership IN ('owner', 'op', 'member', 'invited')),
  PRIMARY KEY (room, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_person ON members (person);

CREATE TABLE room_values (
  room  TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  key   TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (room, key)
) STRICT;

CREATE TABLE room_scripts (
  room    TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  source  TEXT NOT NULL,
  author  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (room, version)
) STRICT;

-- Everything that was said and done. `data` holds what only some kinds have.
CREATE TABLE entries (
  id     TEXT PRIMARY KEY,
  room   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  author TEXT NOT NULL,
  text   TEXT NOT NULL,
  data   TEXT NOT NULL
) STRICT;

CREATE INDEX entries_by_room ON entries (room, id);
CREATE INDEX entries_by_kind ON entries (room, kind, id);

CREATE TABLE token_counts (
  entry    TEXT NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
  encoding TEXT NOT NULL,
  tokens   INTEGER NOT NULL,
  PRIMARY KEY (entry, encoding)
) STRICT, WITHOUT ROWID;

-- The prompt is last: it is long, and what stands before it is read without it.
CREATE TABLE turns (
  id         TEXT PRIMARY KEY,
  room       TEXT NOT NULL,
  model      TEXT NOT NULL,
  requester  TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER,
  outcome    TEXT,
  input      INTEGER,
  output     INTEGER,
  error      TEXT,
  prompt     TEXT
) STRICT;

CREATE INDEX turns_by_time ON turns (started_at);
CREATE INDEX turns_by_room ON turns (room, started_at);
CREATE INDEX turns_unfinished ON turns (started_at) WHERE ended_at IS NULL;
