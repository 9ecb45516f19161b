-- Servers hear of changed rows by NOTIFY alone, over a connection that listens. A server that lost that connection reads everything again,
-- so no table of news is needed. Servers of the version before read that table: all must be stopped for this migration.
-- Needs: 7

DROP TRIGGER servers_loans ON servers;
DROP TABLE news, orders, payers, lent_names, closings_done, closings;
DROP FUNCTION order_given(), loans_of_server_changed(), payers_changed(), loan_changed(),
  closings_changed();
-- Hints are not sealed any more.
DELETE FROM secrets WHERE name <> 'claim';

CREATE OR REPLACE FUNCTION tell_news(server TEXT, topic TEXT, key TEXT) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('sshawl_changes', json_build_array(server, topic, key)::text);
$$;

-- What every other server does once, such as to end the sessions of a person. `data` is JSON. Rows go after ten minutes.
CREATE TABLE broadcasts (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     TIMESTAMPTZ NOT NULL DEFAULT now(),
  server TEXT COLLATE "C" NOT NULL,
  kind   TEXT COLLATE "C" NOT NULL,
  data   TEXT COLLATE "C" NOT NULL
);

CREATE INDEX broadcasts_by_time ON broadcasts (at);

CREATE FUNCTION broadcast_sent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_news(NEW.server, 'broadcasts', NEW.id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER broadcasts_news AFTER INSERT ON broadcasts FOR EACH ROW EXECUTE FUNCTION broadcast_sent();

-- The server that deletes a room, and the name of the person who asked for it. Other servers store no line in the room meanwhile. If the
-- server dies, the room is open again.
ALTER TABLE rooms ADD COLUMN closing_server TEXT COLLATE "C" REFERENCES servers (id) ON DELETE SET NULL;
ALTER TABLE rooms ADD COLUMN closing_by TEXT COLLATE "C";

CREATE FUNCTION room_closing_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_news(coalesce(NEW.closing_server, OLD.closing_server), 'rooms', OLD.name);
  RETURN NULL;
END $$;

CREATE TRIGGER rooms_news AFTER UPDATE OF closing_server ON rooms
  FOR EACH ROW WHEN (OLD.closing_server IS DISTINCT FROM NEW.closing_server) EXECUTE FUNCTION room_closing_changed();
CREATE TRIGGER deleted_rooms_news AFTER DELETE ON rooms
  FOR EACH ROW WHEN (OLD.closing_server IS NOT NULL) EXECUTE FUNCTION room_closing_changed();
