-- What people typed, for themselves alone: their last lines, and the draft that was cut off when a connection broke.

CREATE TABLE typed_lines (
  id     INTEGER PRIMARY KEY,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  text   TEXT NOT NULL
) STRICT;

CREATE INDEX typed_lines_by_person ON typed_lines (person, id);

CREATE TABLE drafts (
  person TEXT PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  at     INTEGER NOT NULL,
  text   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX drafts_by_time ON drafts (at);
