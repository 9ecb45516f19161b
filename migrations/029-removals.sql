-- Days that a room keeps what is said in it; NULL: for good, unless the config says otherwise.
ALTER TABLE rooms ADD COLUMN keep_days INTEGER;

-- Who removed what, for `sshawl audit`. It stays when the room is gone; NULL is the whole server.
CREATE TABLE removals (
  id   TEXT PRIMARY KEY,
  at   INTEGER NOT NULL,
  room TEXT,
  who  TEXT NOT NULL,
  what TEXT NOT NULL,
  "by" TEXT NOT NULL
) STRICT;
