-- What servers that share the database know of each other.

-- A row for each process that runs. `seen_at` is of the database's clock, whatever the clocks of the servers say.
CREATE TABLE servers (
  id      TEXT COLLATE "C" PRIMARY KEY,
  name    TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  facts   TEXT COLLATE "C" NOT NULL,
  seen_at TIMESTAMPTZ NOT NULL
);

-- Who is in a room through which server. `name` is a guest's, or what a registered person was called as they came; `facts` are how
-- they came.
CREATE TABLE present (
  room   TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
  name   TEXT COLLATE "C" NOT NULL,
  facts  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (person, room, server)
);

CREATE INDEX present_by_server ON present (server);

-- Says which row another server must read again, and never what it says. Numbers are given before the commit, so a smaller one may
-- appear after a larger one.
CREATE TABLE news (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  server TEXT COLLATE "C" NOT NULL,
  topic  TEXT COLLATE "C" NOT NULL,
  key    TEXT COLLATE "C" NOT NULL
);

CREATE INDEX news_by_time ON news (at);

CREATE FUNCTION tell_news(server TEXT, topic TEXT, key TEXT) RETURNS void LANGUAGE sql AS $$
  INSERT INTO news (server, topic, key) VALUES (server, topic, key);
  SELECT pg_notify('sshawl_news', '');
$$;

-- Whoever removes a server that has died must hear of it as well: it is that server's change.
CREATE FUNCTION present_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE place present%ROWTYPE := coalesce(NEW, OLD);
BEGIN
  PERFORM tell_news(place.server, 'present', place.person || ' ' || place.room);
  RETURN NULL;
END $$;

CREATE TRIGGER present_news AFTER INSERT OR UPDATE OR DELETE ON present
  FOR EACH ROW EXECUTE FUNCTION present_changed();

-- What every other server is to do, once: what is no state that could be read again. `data` is JSON.
CREATE TABLE orders (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  server TEXT COLLATE "C" NOT NULL,
  kind   TEXT COLLATE "C" NOT NULL,
  data   TEXT COLLATE "C" NOT NULL
);

CREATE INDEX orders_by_time ON orders (at);

CREATE FUNCTION order_given() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_news(NEW.server, 'orders', NEW.id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER orders_news AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION order_given();

-- The server that runs a turn, after which its connections are named; whoever finds that it has died ends its turns.
ALTER TABLE turns ADD COLUMN server TEXT COLLATE "C";
ALTER TABLE turns ALTER COLUMN server SET DEFAULT current_setting('application_name');
