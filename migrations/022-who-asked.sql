-- The person behind a turn: names change. Turns from before are not asked again.

ALTER TABLE turns ADD COLUMN person TEXT;

-- In the place of the one by name: the newest turns that one person asked for in one room.
DROP INDEX turns_by_asker;
CREATE INDEX turns_by_asker ON turns (room, person, started_at, id, message) WHERE message IS NOT NULL;
