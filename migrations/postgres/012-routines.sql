-- What runs by itself: "when this happens, this line is said there for this person".

-- Without a room it is a reminder to its person alone. `condition` and `scope` are JSON. `next_at` is the time of the next run, or of the
-- next attempt if it is paused; NULL: none. The claim keeps other servers from the same run; `claim_until` is by the database's clock.
CREATE TABLE routines (
  id          TEXT COLLATE "C" PRIMARY KEY,
  room        TEXT COLLATE "C" REFERENCES rooms (name) ON DELETE CASCADE,
  number      BIGINT NOT NULL,
  kind        TEXT COLLATE "C" NOT NULL CHECK (kind IN ('once', 'calendar', 'line', 'each')),
  person      TEXT COLLATE "C" NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  text        TEXT COLLATE "C" NOT NULL,
  condition   TEXT COLLATE "C" NOT NULL,
  scope       TEXT COLLATE "C",
  zone        TEXT COLLATE "C" NOT NULL,
  tokens      BIGINT,
  runs_left   BIGINT,
  until       BIGINT,
  token       BIGINT,
  at          BIGINT NOT NULL,
  state       TEXT COLLATE "C" NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
  reason      TEXT COLLATE "C" NOT NULL,
  next_at     BIGINT,
  last_at     BIGINT,
  outcome     TEXT COLLATE "C",
  failures    BIGINT NOT NULL,
  failing_at  BIGINT,
  seen_at     BIGINT NOT NULL,
  spent       BIGINT NOT NULL,
  spent_day   BIGINT NOT NULL,
  claimed_by  TEXT COLLATE "C",
  claim_until BIGINT
);

CREATE UNIQUE INDEX routines_by_room ON routines (room, number) WHERE room IS NOT NULL;
CREATE UNIQUE INDEX routines_of_person ON routines (person, number) WHERE room IS NULL;
CREATE INDEX routines_by_person ON routines (person);
CREATE INDEX routines_by_time ON routines (next_at) WHERE next_at IS NOT NULL;

CREATE FUNCTION routines_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE routine routines%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_change('routines', routine.id);
  RETURN NULL;
END $$;

CREATE TRIGGER routines_news AFTER INSERT OR DELETE OR UPDATE OF room, state, next_at ON routines
  FOR EACH ROW EXECUTE FUNCTION routines_changed();
