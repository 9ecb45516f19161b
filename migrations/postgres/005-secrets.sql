-- What all servers of the database know, and nobody else: the key of what they say on the bus, and the code with which somebody becomes
-- the first admin. It is made by the first of them.
CREATE TABLE secrets (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

-- Rights that whoever cares for the database gives others on every new table are not meant for this one.
DO $$
DECLARE reader RECORD;
BEGIN
  FOR reader IN
    SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS name
    FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) WHERE oid = 'secrets'::regclass AND grantee <> relowner
  LOOP
    EXECUTE format('REVOKE ALL ON secrets FROM %s', reader.name);
  END LOOP;
END $$;

-- The code is good for the first admin alone, whichever way they became one.
CREATE FUNCTION forget_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM secrets WHERE name = 'claim';
  RETURN NULL;
END $$;

CREATE TRIGGER first_admin AFTER INSERT OR UPDATE OF admin ON people
  FOR EACH ROW WHEN (NEW.admin = 1) EXECUTE FUNCTION forget_claim();
