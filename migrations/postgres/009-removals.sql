-- Days that a room keeps what is said in it; NULL: for good, unless the config says otherwise.
ALTER TABLE rooms ADD COLUMN keep_days BIGINT;

-- Who removed what, for `sshawl audit`. It stays when the room is gone; NULL is the whole server.
CREATE TABLE removals (
  id   TEXT COLLATE "C" PRIMARY KEY,
  at   BIGINT NOT NULL,
  room TEXT COLLATE "C",
  who  TEXT COLLATE "C" NOT NULL,
  what TEXT COLLATE "C" NOT NULL,
  "by" TEXT COLLATE "C" NOT NULL
);

-- One server at a time removes what is too old.
ALTER TABLE work DROP CONSTRAINT work_kind_check;
ALTER TABLE work ADD CONSTRAINT work_kind_check
  CHECK (kind IN ('turn', 'run', 'summary', 'hook', 'removal'));
