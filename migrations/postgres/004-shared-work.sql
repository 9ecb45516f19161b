-- What is at work on which server: turns of models, tools that people run, summaries, hooks. A row is a slot as well: so many of one line
-- run at once, the others wait, and whoever removes one lets the next begin in the same transaction. The rows of a server that has
-- died go with its own. `facts` and `doing` are JSON; times are of the database's clock.
CREATE TABLE work (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id     TEXT COLLATE "C" NOT NULL UNIQUE,
  server TEXT COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  kind   TEXT COLLATE "C" NOT NULL CHECK (kind IN ('turn', 'run', 'summary', 'hook')),
  line   TEXT COLLATE "C" NOT NULL,
  room   TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  waits  BIGINT NOT NULL CHECK (waits IN (0, 1)),
  at     TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  facts  TEXT COLLATE "C" NOT NULL,
  doing  TEXT COLLATE "C" NOT NULL
);

CREATE INDEX work_by_line ON work (line, number);
CREATE INDEX work_by_server ON work (server);

-- Where one server lets a turn of another begin, that one must hear of it, too: then it is nobody's change.
CREATE FUNCTION work_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE one work%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.waits <> NEW.waits THEN
    PERFORM tell_news('', 'work', one.id);
  ELSE
    PERFORM tell_news(one.server, 'work', one.id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER work_news AFTER INSERT OR UPDATE OR DELETE ON work
  FOR EACH ROW EXECUTE FUNCTION work_changed();

-- The questions that are open. `asked` and `answer` are JSON. An answer of another server than the one that asked stands in its row
-- until that one carries it out: of two, the first that is there counts.
CREATE TABLE questions (
  room   TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  server TEXT COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  person TEXT COLLATE "C" NOT NULL,
  asked  TEXT COLLATE "C" NOT NULL,
  answer TEXT COLLATE "C",
  PRIMARY KEY (room, number)
);

CREATE INDEX questions_by_server ON questions (server);

-- The last number that a question of a room had.
CREATE TABLE question_numbers (
  room TEXT COLLATE "C" PRIMARY KEY REFERENCES rooms (name) ON DELETE CASCADE,
  last BIGINT NOT NULL
);

-- Whoever answers is not the server that asked, and both must hear of it.
CREATE FUNCTION question_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE one questions%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_news(CASE WHEN TG_OP = 'UPDATE' THEN '' ELSE one.server END, 'questions', one.number || ' ' || one.room);
  RETURN NULL;
END $$;

CREATE TRIGGER questions_news AFTER INSERT OR UPDATE OR DELETE ON questions
  FOR EACH ROW EXECUTE FUNCTION question_changed();

-- What servers keep in memory of rows that another one may change. The key of the news is the column that the trigger names.
CREATE FUNCTION kept_row_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE key TEXT;
BEGIN
  EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO key USING coalesce(NEW, OLD);
  PERFORM tell_news(current_setting('application_name'), TG_TABLE_NAME, key);
  RETURN NULL;
END $$;

CREATE TRIGGER room_scripts_news AFTER INSERT OR UPDATE OR DELETE ON room_scripts
  FOR EACH ROW EXECUTE FUNCTION kept_row_changed('room');

CREATE TRIGGER mcp_servers_news AFTER INSERT OR UPDATE OR DELETE ON mcp_servers
  FOR EACH ROW EXECUTE FUNCTION kept_row_changed('name');

-- A tool that nobody has seen before holds for all as it is. What an admin approves is another definition.
CREATE TRIGGER mcp_pins_news AFTER UPDATE OF hash ON mcp_pins
  FOR EACH ROW WHEN (OLD.hash <> NEW.hash) EXECUTE FUNCTION kept_row_changed('server');
