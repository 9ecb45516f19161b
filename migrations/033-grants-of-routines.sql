-- A permission that was given in a run of a routine is for that routine's runs alone. NULL: for calls outside of routines.
CREATE TABLE new_grants (
  room    TEXT NOT NULL REFERENCES rooms (name) ON DELETE CASCADE,
  id      INTEGER NOT NULL,
  person  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  tool    TEXT NOT NULL,
  target  TEXT NOT NULL,
  until   INTEGER,
  "by"    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  routine TEXT,
  PRIMARY KEY (room, id)
) STRICT;

INSERT INTO new_grants SELECT room, id, person, name, tool, target, until, "by", at, NULL FROM grants;
DROP TABLE grants;
ALTER TABLE new_grants RENAME TO grants;
CREATE UNIQUE INDEX grants_by_target ON grants (person, room, tool, target, coalesce(routine, ''));
CREATE INDEX grants_by_routine ON grants (routine) WHERE routine IS NOT NULL;
