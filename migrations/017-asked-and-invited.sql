-- The entry that a turn answers, so that somebody can ask it again; turns from before are not asked again.

ALTER TABLE turns ADD COLUMN message TEXT;

-- The newest turns that one person asked for in one room. It has the message, which stands behind the long prompt in the row.
CREATE INDEX turns_by_asker ON turns (room, requester, started_at, id, message) WHERE message IS NOT NULL;

-- Invitations that the person was not told of yet. A row is deleted as it is told.
CREATE TABLE untold_invitations (
  person  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  room    TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  inviter TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (person, room)
) STRICT, WITHOUT ROWID;
