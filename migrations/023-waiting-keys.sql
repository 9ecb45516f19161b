-- Keys that somebody added and that have not logged in under that name yet. A public key is anybody's to add, so several
-- people can wait for the same one, and nothing but its first login reads this table.
CREATE TABLE waiting_keys (
  person      TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  added_at    INTEGER NOT NULL,
  PRIMARY KEY (person, fingerprint)
) STRICT, WITHOUT ROWID;

-- Of keys that were added before, nobody knows whether they ever logged in: their next login proves them. A person's first key
-- did, and so did a key that made somebody an admin.
INSERT INTO waiting_keys (person, fingerprint, added_at)
SELECT person, fingerprint, added_at FROM person_keys AS mine JOIN people ON people.id = person
WHERE admin_key IS NOT fingerprint
  AND EXISTS (SELECT 1 FROM person_keys AS older WHERE older.person = mine.person AND older.added_at < mine.added_at);

DELETE FROM person_keys WHERE EXISTS (
  SELECT 1 FROM waiting_keys AS waiting
  WHERE waiting.person = person_keys.person AND waiting.fingerprint = person_keys.fingerprint);

-- What the config gives a key belongs to logins with that key, and is not stored.
UPDATE people SET admin = 0 WHERE admin_key IS NOT NULL;
ALTER TABLE people DROP COLUMN admin_key;

-- Messages to one person are kept nowhere once they were read.
DELETE FROM typed_lines WHERE ltrim(text) LIKE '/msg %' OR ltrim(text) LIKE '/reply %' OR ltrim(text) LIKE '/r %'
  OR ltrim(text) LIKE '/w %' OR ltrim(text) LIKE '/whisper %' OR ltrim(text) LIKE '/dm %' OR ltrim(text) LIKE '/pm %'
  OR ltrim(text) LIKE '/tell %';
