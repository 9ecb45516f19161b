-- A permission that was given in a run of a routine is for that routine's runs alone. NULL: for calls outside of routines.
ALTER TABLE grants ADD COLUMN routine TEXT COLLATE "C";

DROP INDEX grants_by_target;
CREATE UNIQUE INDEX grants_by_target ON grants (person, room, tool, md5(target), coalesce(routine, ''));
CREATE INDEX grants_by_routine ON grants (routine) WHERE routine IS NOT NULL;
