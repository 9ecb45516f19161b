-- What people do with what was said, and beside it.

-- The last version of an entry that was edited or taken back. An entry itself never changes: `revision` is the later
-- entry that says so. Without a text, it was taken back.
CREATE TABLE revisions (
  target   TEXT PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
  revision TEXT NOT NULL,
  text     TEXT
) STRICT, WITHOUT ROWID;

-- Messages to one person that wait for them. What was shown is deleted. A sender may be a guest, who has no row in `people`.
CREATE TABLE direct_messages (
  id        TEXT PRIMARY KEY,
  recipient TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  sender    TEXT NOT NULL,
  name      TEXT NOT NULL,
  guest     INTEGER NOT NULL CHECK (guest IN (0, 1)),
  at        INTEGER NOT NULL,
  text      TEXT NOT NULL
) STRICT;

CREATE INDEX direct_messages_by_recipient ON direct_messages (recipient, id);
CREATE INDEX direct_messages_by_time ON direct_messages (at);

-- Whom somebody ignores; `name` is what they were called then.
CREATE TABLE ignored (
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  other  TEXT NOT NULL,
  name   TEXT NOT NULL,
  PRIMARY KEY (person, other)
) STRICT, WITHOUT ROWID;
