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
