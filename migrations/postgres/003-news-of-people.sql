-- What other servers must read again of people and of what is decided about them.

-- In `news`, the server whose connection this is changed something.
CREATE FUNCTION tell_change(topic TEXT, key TEXT) RETURNS void LANGUAGE sql AS $$
  SELECT tell_news(current_setting('application_name'), topic, key);
$$;

CREATE FUNCTION sanctions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sanction sanctions%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_change('sanctions', sanction.id);
  RETURN NULL;
END $$;

CREATE TRIGGER sanctions_news AFTER INSERT OR UPDATE OR DELETE ON sanctions
  FOR EACH ROW EXECUTE FUNCTION sanctions_changed();

-- Rooms that a server is deleting; they are open again where it dies.
CREATE TABLE closings (
  room   TEXT COLLATE "C" PRIMARY KEY,
  server TEXT COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  "by"   TEXT COLLATE "C" NOT NULL
);

-- The servers in which nobody is in such a room any more.
CREATE TABLE closings_done (
  room   TEXT COLLATE "C" NOT NULL REFERENCES closings (room) ON DELETE CASCADE,
  server TEXT COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  PRIMARY KEY (room, server)
);

CREATE FUNCTION closings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE closing closings%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_news(closing.server, 'closings', closing.room);
  RETURN NULL;
END $$;

CREATE TRIGGER closings_news AFTER INSERT OR DELETE ON closings
  FOR EACH ROW EXECUTE FUNCTION closings_changed();

-- Whoever is here has the name and the rights of now. Also the server that changed them hears of it: it knows those who are elsewhere.
CREATE FUNCTION person_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_news('', 'people', NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER people_news AFTER UPDATE OF name, admin ON people
  FOR EACH ROW WHEN (OLD.name <> NEW.name OR OLD.admin <> NEW.admin) EXECUTE FUNCTION person_changed();

-- The tables of what one person has; the topic is what the trigger gives.
CREATE FUNCTION belonging_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_change(TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.person ELSE NEW.person END);
  RETURN NULL;
END $$;

CREATE TRIGGER keys_news AFTER INSERT ON person_keys
  FOR EACH ROW EXECUTE FUNCTION belonging_changed('keys');
CREATE TRIGGER away_news AFTER INSERT OR UPDATE OR DELETE ON away
  FOR EACH ROW EXECUTE FUNCTION belonging_changed('away');
CREATE TRIGGER ignored_news AFTER INSERT OR UPDATE OR DELETE ON ignored
  FOR EACH ROW EXECUTE FUNCTION belonging_changed('ignored');
CREATE TRIGGER preferences_news AFTER INSERT OR UPDATE OR DELETE ON preferences
  FOR EACH ROW EXECUTE FUNCTION belonging_changed('preferences');

-- Names that guests were lent, by each server that lent them; a loan counts as long as its server is alive. `asked` is the name that
-- they asked for.
CREATE TABLE lent_names (
  skeleton    TEXT COLLATE "C" NOT NULL,
  server      TEXT COLLATE "C" NOT NULL,
  name        TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  asked       TEXT COLLATE "C" NOT NULL,
  at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (skeleton, server)
);

CREATE INDEX lent_names_by_key ON lent_names (fingerprint, asked);

CREATE FUNCTION loan_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE loan lent_names%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_news(loan.server, 'loans', loan.skeleton);
  RETURN NULL;
END $$;

CREATE TRIGGER loans_news AFTER INSERT OR DELETE ON lent_names
  FOR EACH ROW EXECUTE FUNCTION loan_changed();

CREATE FUNCTION loans_of_server_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed servers%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_news(changed.id, 'loans', string_agg(skeleton, E'\n')) FROM lent_names
    WHERE server = changed.id HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER servers_loans AFTER INSERT OR DELETE ON servers
  FOR EACH ROW EXECUTE FUNCTION loans_of_server_changed();

-- How many connections those have whom limits hold for, through which server, and until when it counts that they were there: for a
-- day after the last of them.
CREATE TABLE payers (
  payer       TEXT COLLATE "C" NOT NULL,
  server      TEXT COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  connections BIGINT NOT NULL,
  until       TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (payer, server)
);

CREATE INDEX payers_by_server ON payers (server, until);

-- Many change at once: one row of news has all of them, each on a line.
CREATE FUNCTION payers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_news(server, 'payers', string_agg(payer, E'\n')) FROM changed GROUP BY server;
  RETURN NULL;
END $$;

CREATE TRIGGER payers_came AFTER INSERT ON payers
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION payers_changed();
CREATE TRIGGER payers_went AFTER DELETE ON payers
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION payers_changed();
CREATE TRIGGER payers_moved AFTER UPDATE ON payers
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION payers_changed();
