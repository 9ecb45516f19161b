-- The key that a sender came with: all names of a key fill one share of what may wait for somebody.
ALTER TABLE direct_messages ADD COLUMN key TEXT;

-- The key that somebody came with who was ignored while they were there. A guest has no other row to find it in.
ALTER TABLE ignored ADD COLUMN key TEXT;

-- Registered people who said that they are away, until they speak; `text` is why, and may be empty.
CREATE TABLE away (
  person TEXT PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
  text   TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
