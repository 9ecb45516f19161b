-- Who set the script in this room: its hooks speak for this person. NULL: an older script, or one that a fork copied.
ALTER TABLE room_scripts ADD COLUMN person TEXT REFERENCES people (id) ON DELETE SET NULL;
