-- The key that the config made somebody an admin with: they are one only as long as the config names it. Null for those who
-- claimed the server, and for all who were admins before.
ALTER TABLE people ADD COLUMN admin_key TEXT;

-- The former name as it was written; empty for those that were kept before.
ALTER TABLE kept_names ADD COLUMN name TEXT NOT NULL DEFAULT '';
