-- When the person was last in the room at a terminal, which makes it one of theirs. NULL: it is none of theirs, or not any more.

ALTER TABLE last_seen ADD COLUMN at BIGINT;
