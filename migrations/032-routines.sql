-- What runs by itself: "when this happens, this line is said there for this person".

-- Without a room it is a reminder to its person alone. `condition` and `scope` are JSON. `next_at` is the time of the next run, or of the
-- next attempt if it is paused; NULL: none. The claim keeps other servers from the same run; `claim_until` is by the database's clock.
CREATE TABLE routines (
  id          TEXT PRIMARY KEY,
  room        TEXT REFERENCES rooms (name) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('once', 'calendar', 'line', 'each')),
  person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  text        TEXT NOT NULL,
  condition   TEXT NOT NULL,
  scope       TEXT,
  zone        TEXT NOT NULL,
  tokens      INTEGER,
  runs_left   INTEGER,
  until       INTEGER,
  token       INTEGER,
  at          INTEGER NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
  reason      TEXT NOT NULL,
  next_at     INTEGER,
  last_at     INTEGER,
  outcome     TEXT,
  failures    INTEGER NOT NULL,
  failing_at  INTEGER,
  seen_at     INTEGER NOT NULL,
  spent       INTEGER NOT NULL,
  spent_day   INTEGER NOT NULL,
  claimed_by  TEXT,
  claim_until INTEGER
) STRICT;

CREATE UNIQUE INDEX routines_by_room ON routines (room, number) WHERE room IS NOT NULL;
CREATE UNIQUE INDEX routines_of_person ON routines (person, number) WHERE room IS NULL;
CREATE INDEX routines_by_person ON routines (person);
CREATE INDEX routines_by_time ON routines (next_at) WHERE next_at IS NOT NULL;
