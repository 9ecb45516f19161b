import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../../../src/adapters/storage/migrations.ts'
import {
  expansionProblem,
  neededSchema,
} from '../../../../../src/adapters/storage/postgres/expansion/expansion.ts'
import { paths } from '../../../../../src/app/paths.ts'

const problemOf = (sql: string, version = 9): string | undefined =>
  expansionProblem({ sql, version, name: '009-new.sql' })

test('our own migrations leave servers of the version before what they use', () => {
  expect(readMigrations(join(paths.migrations, 'postgres')).map(expansionProblem).filter(Boolean)).toEqual([])
})

test.each([
  'CREATE TABLE a (id TEXT NOT NULL UNIQUE); CREATE UNIQUE INDEX a_id ON a (id); ALTER TABLE a ADD CHECK (id <> 1)',
  'CREATE TABLE a (id TEXT); UPDATE a SET id = 1; DELETE FROM a; CREATE INDEX i ON a (id)',
  'CREATE TABLE a (room TEXT REFERENCES rooms (name) ON DELETE CASCADE); CREATE TABLE b (c TEXT REFERENCES a (id) ON DELETE CASCADE)',
  'CREATE TABLE a (room TEXT); ALTER TABLE a ADD FOREIGN KEY (room) REFERENCES rooms (name) ON DELETE CASCADE',
  'CREATE TABLE a (n BIGINT GENERATED ALWAYS AS IDENTITY, b TEXT GENERATED ALWAYS AS (lower(c)) STORED)',
  'ALTER TABLE rooms ADD COLUMN colour TEXT',
  "ALTER TABLE rooms ADD COLUMN colour TEXT NOT NULL DEFAULT ''",
  'ALTER TABLE rooms ADD COLUMN a NUMERIC(1, 2), ADD COLUMN b TEXT',
  'ALTER TABLE rooms ADD a TEXT; ALTER TABLE rooms ALTER COLUMN a SET DEFAULT 1',
  'ALTER TABLE rooms ALTER COLUMN topic DROP NOT NULL',
  'CREATE INDEX rooms_by_topic ON rooms (left(topic, 200), md5(vibe) DESC, id)',
  'CREATE INDEX rooms_by_topic ON rooms USING HASH (topic)',
  'CREATE INDEX entries_by_time ON entries (room, at) WHERE text IS NOT NULL',
  'CREATE VIEW v AS SELECT count(*) FROM rooms WHERE topic IS NULL',
  "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT 'DROP TABLE rooms'; -- DELETE\n $$; INSERT INTO rooms SELECT f()",
  "CREATE FUNCTION f() RETURNS trigger AS $f$ DECLARE a TEXT; BEGIN IF NEW.b <> 'x' THEN PERFORM tell_news('', 'b', NEW.id::text); ELSE PERFORM tell_change('c', a); END IF; RETURN NULL; END $f$ LANGUAGE plpgsql; CREATE TRIGGER t AFTER DELETE ON rooms FOR EACH ROW WHEN (OLD.topic <> '') EXECUTE FUNCTION f('room')",
  'CREATE TABLE a (b TEXT); CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM a WHERE b = 1 $$',
  'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$',
  'CREATE VIEW w AS SELECT a.*, 1 / 2 FROM rooms a',
  '-- DROP TABLE rooms\n/* RENAME; */ INSERT INTO rooms VALUES (1)',
  `INSERT INTO rooms VALUES ('; DROP TABLE rooms -- ''', E'\\'; DROP TABLE rooms')`,
])('%s is an expansion', (sql) => {
  expect(problemOf(sql)).toBeUndefined()
})

test.each([
  'DROP TABLE rooms',
  'DROP TRIGGER sanctions_news ON sanctions',
  'DROP INDEX rooms_by_topic',
  'alter table rooms\n  drop column topic',
  'ALTER TABLE rooms ADD COLUMN colour TEXT, DROP COLUMN topic',
  'ALTER TABLE rooms ALTER topic DROP DEFAULT',
  'ALTER TABLE rooms RENAME COLUMN topic TO subject',
  'ALTER TABLE rooms ALTER COLUMN topic TYPE BIGINT',
  'ALTER TABLE rooms ALTER topic SET NOT NULL',
  'ALTER TABLE rooms ADD COLUMN colour TEXT NOT NULL',
  'ALTER TABLE rooms ADD COLUMN colour BIGINT DEFAULT 1 UNIQUE',
  'ALTER TABLE rooms ADD COLUMN op TEXT REFERENCES people (id)',
  'ALTER TABLE rooms ADD CONSTRAINT c CHECK (topic <> name)',
  'ALTER TABLE sanctions DISABLE TRIGGER sanctions_news',
  'ALTER TABLE sanctions ENABLE ROW LEVEL SECURITY',
  'ALTER FUNCTION tell_news OWNER TO nobody',
  'CREATE TABLE a (room TEXT REFERENCES rooms (name))',
  'CREATE TABLE IF NOT EXISTS rooms (name TEXT); DELETE FROM rooms',
  'CREATE UNIQUE INDEX i ON rooms (topic)',
  'CREATE OR REPLACE FUNCTION tell_news() RETURNS void LANGUAGE sql AS $$ $$',
  'CREATE TRIGGER quiet BEFORE INSERT ON news EXECUTE FUNCTION f()',
  'CREATE RULE quiet AS ON INSERT TO news DO INSTEAD NOTHING',
  'REVOKE INSERT ON entries FROM PUBLIC',
  'DELETE FROM entries',
  "UPDATE entries SET text = ''",
  'TRUNCATE entries',
  "INSERT INTO rooms VALUES (1) ON CONFLICT (name) DO UPDATE SET topic = ''",
  'CREATE TABLE old (text TEXT); INSERT INTO old WITH gone AS (DELETE FROM entries RETURNING *) SELECT * FROM gone',
  'WITH gone AS (DELETE FROM entries RETURNING *) SELECT * FROM gone',
  "DO $$ BEGIN EXECUTE 'DROP TABLE rooms'; END $$",
  'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE rooms $$; SELECT f()',
  'CREATE FUNCTION f() RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY UPDATE people SET admin = 0 RETURNING name; END $$',
  'CREATE FUNCTION f() RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE $q$DELETE FROM people RETURNING name$q$; END $$',
  "INSERT INTO rooms VALUES ('--'); DROP TABLE rooms",
  'CREATE TABLE old AS WITH gone AS (DELETE FROM entries RETURNING *) SELECT * FROM gone',
  'CREATE TABLE old (a) AS (WITH gone AS (DELETE FROM entries RETURNING *) SELECT * FROM gone)',
  'CREATE TABLE old AS SELECT f()',
  'CREATE TABLE a () INHERITS (rooms)',
  'CREATE TABLE a (room TEXT); ALTER TABLE a ADD FOREIGN KEY (room) REFERENCES rooms (name)',
  'CREATE TABLE a (id TEXT); ALTER TABLE a INHERIT rooms',
  'CREATE TABLE a (id TEXT); ALTER TABLE a RENAME TO b',
  'CREATE TABLE a (room TEXT REFERENCES rooms (name) ON DELETE SET NULL)',
  'CREATE TABLE a (person TEXT REFERENCES people (name) ON DELETE CASCADE)',
  'CREATE TABLE a (person TEXT REFERENCES people)',
  'CREATE TABLE a (id TEXT PRIMARY KEY); CREATE TABLE b (c TEXT REFERENCES a (id))',
  'ALTER TABLE rooms ALTER topic SET DEFAULT NULL',
  'ALTER TABLE rooms ALTER topic SET DEFAULT 1',
  'ALTER TABLE rooms ADD a TEXT NOT NULL DEFAULT NULL',
  'ALTER TABLE rooms ADD COLUMN n INT GENERATED ALWAYS AS (topic::int) STORED',
  "ALTER TABLE rooms ADD COLUMN n INT DEFAULT setval('s', 1)",
  'ALTER TABLE rooms ADD COLUMN n some_domain',
  'CREATE INDEX i ON entries (text)',
  'CREATE INDEX i ON entries (room, text)',
  'CREATE INDEX i ON entries ((text::int))',
  'CREATE INDEX i ON entries (left(text, 2000))',
  'CREATE INDEX i ON entries (id) WHERE text::int = 1',
  'CREATE INDEX i ON entries USING GIN (words)',
  'CREATE TRIGGER t AFTER DELETE ON rooms FOR EACH ROW EXECUTE FUNCTION f()',
  'CREATE TRIGGER t BEFORE DELETE ON rooms FOR EACH ROW EXECUTE FUNCTION f()',
  "INSERT INTO rooms SELECT setval('s', 1)",
  "INSERT INTO rooms SELECT pg_catalog.setval('s', 1)",
  'CREATE TABLE a (b TEXT); UPDATE a SET b = "setval"(1)',
  "CREATE VIEW v AS SELECT setval('s', 1)",
  ...[
    'DROP TABLE rooms',
    'ALTER TABLE people DROP COLUMN name',
    'DELETE FROM entries',
    'SELECT 1; UPDATE entries SET text = 1',
    'TRUNCATE entries',
    'WITH gone AS (DELETE FROM entries RETURNING *) SELECT * FROM gone',
    "EXECUTE 'DROP TABLE rooms'",
    "EXECUTE format('SELECT 1; DROP TABLE rooms')",
    "RAISE EXCEPTION 'no'",
    'BEGIN IF TRUE THEN RAISE; END IF; END',
    "DECLARE a TEXT; BEGIN -- harmless\n RAISE EXCEPTION 'no'; RETURN NULL; END",
    'LOCK TABLE entries',
    'CALL something()',
    "PERFORM setval('s', 1); RETURN NULL",
    "SELECT setval('s', 1)",
    ...[
      "EXECUTE format('SELECT %s', '1; DROP TABLE rooms')",
      "EXECUTE format('SELECT ($1).%s', TG_ARGV[0]) INTO key USING coalesce(NEW, OLD)",
      "EXECUTE 'SELECT 1'",
      'PERFORM 1/0',
      'PERFORM NEW.text::int',
      "PERFORM int 'x'",
      'PERFORM cast(NEW.text AS int)',
      "PERFORM current_setting('none')",
      "PERFORM pg_notify('sshawl_news', NEW.text)",
      'PERFORM (SELECT id FROM rooms)',
      'PERFORM 1 FROM rooms FOR UPDATE',
      'PERFORM 1 FROM (DELETE FROM rooms)',
      "IF setval('s', 1) = 1 THEN RETURN NULL; END IF",
      'IF 1/0 = 1 THEN RETURN NULL; END IF',
      'INSERT INTO rooms VALUES (1)',
      'SELECT 1',
    ].map((step) => `BEGIN ${step}; RETURN NULL; END`),
    'BEGIN PERFORM tell_news(1); END',
  ].map(
    (body) =>
      `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$; CREATE TRIGGER t AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION f()`,
  ),
  'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $a$ ALTER TABLE people DROP COLUMN name; SELECT 1 $a$; INSERT INTO news SELECT f()',
  "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'DROP TABLE rooms'",
  "CREATE FUNCTION f() RETURNS void LANGUAGE plpython3u AS $$ plpy.execute('DROP TABLE rooms') $$",
  'CREATE TABLE a (b TEXT UNIQUE); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a VALUES (1); RETURN NULL; END $$',
  'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; CREATE TRIGGER t AFTER INSERT ON rooms FOR EACH ROW WHEN (1/0 = 1) EXECUTE FUNCTION f()',
  'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; CREATE TRIGGER t AFTER INSERT ON news FOR EACH ROW EXECUTE FUNCTION f()',
  'CREATE FUNCTION f() RETURNS void LANGUAGE sql BEGIN ATOMIC DELETE FROM entries; END',
])('%s is a contraction, which must say what it needs', (sql) => {
  expect(problemOf(sql)).toContain('may take something from servers of the version before')
  expect(problemOf(`-- Needs: 8\n${sql}`)).toBeUndefined()
  expect(problemOf(`-- Needs: 9\n${sql}`)).toContain('no version before it knows')
})

test('what is refused is named, with what would pass', () => {
  expect(problemOf(`CREATE TABLE a (b TEXT);\nDROP TABLE ${'r'.repeat(60)}`)).toMatch(
    /^009-new\.sql: "DROP TABLE r+…" may take .*: new tables .*USING HASH.*"-- Needs: N"/,
  )
})

test('the schema that is needed is read from a line of its own before the first statement', () => {
  expect(neededSchema({ sql: '-- Needs: 12\nDROP TABLE rooms' })).toBe(12)
  expect(neededSchema({ sql: '-- Why it is so.\n\n-- Needs: 12\nDROP TABLE rooms' })).toBe(12)
  expect(neededSchema({ sql: "INSERT INTO rooms VALUES ('-- Needs: 12')" })).toBe(0)
  expect(neededSchema({ sql: "INSERT INTO rooms VALUES ('\n-- Needs: 12\n')" })).toBe(0)
})
