-- What a name looks like as it is written, beside the skeleton that it is filed under, and the rules by which all names were
-- filed last. Names that were filed by other rules are filed anew at the next start.

ALTER TABLE people ADD COLUMN look TEXT NOT NULL DEFAULT '';
CREATE INDEX people_by_look ON people (look);

CREATE TABLE name_rules (
  rules TEXT NOT NULL
) STRICT;

-- Each login asks how many people have its key.
CREATE INDEX IF NOT EXISTS person_keys_by_fingerprint ON person_keys (fingerprint);
