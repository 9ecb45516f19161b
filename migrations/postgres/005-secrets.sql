-- What all servers of the database know, and nobody else: the key of what they say on the bus, and the code with which somebody becomes
-- the first admin. The first of them makes it, and takes from others what rights they may have been given on every new table.
CREATE TABLE secrets (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

-- The code is good for the first admin alone, whichever way they became one.
CREATE FUNCTION forget_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM secrets WHERE name = 'claim';
  RETURN NULL;
END $$;

CREATE TRIGGER first_admin AFTER INSERT OR UPDATE OF admin ON people
  FOR EACH ROW WHEN (NEW.admin = 1) EXECUTE FUNCTION forget_claim();
