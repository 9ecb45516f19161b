import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../../../src/adapters/storage/migrations.ts'
import { expansionProblem, neededSchema } from '../../../../../src/adapters/storage/postgres/expansion.ts'
import { paths } from '../../../../../src/app/paths.ts'

const problemOf = (sql: string, version = 9): string | undefined =>
  expansionProblem({ sql, version, name: '009-new.sql' })

test('our own migrations leave servers of the version before what they use', () => {
  expect(readMigrations(join(paths.migrations, 'postgres')).map(expansionProblem).filter(Boolean)).toEqual([])
})

test.each([
  'CREATE TABLE a (id TEXT NOT NULL UNIQUE); CREATE UNIQUE INDEX a_id ON a (id); ALTER TABLE a ADD CHECK (id <> 1)',
  'ALTER TABLE rooms ADD COLUMN colour TEXT',
  "ALTER TABLE rooms ADD COLUMN colour TEXT NOT NULL DEFAULT ''",
  'CREATE INDEX rooms_by_topic ON rooms (topic)',
  'ALTER TABLE rooms ALTER COLUMN topic DROP NOT NULL',
  'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE rooms; $$',
  '-- DROP TABLE rooms\n/* RENAME; */ INSERT INTO rooms VALUES (1)',
])('%s is an expansion', (sql) => {
  expect(problemOf(sql)).toBeUndefined()
})

test.each([
  ['DROP TABLE rooms', 'takes something away'],
  ['alter table rooms\n  drop column topic', 'takes something away'],
  ['ALTER TABLE rooms ALTER topic DROP DEFAULT', 'takes a default away'],
  ['ALTER TABLE rooms RENAME COLUMN topic TO subject', 'renames something'],
  ['ALTER TABLE rooms ALTER COLUMN topic TYPE BIGINT', 'changes a type'],
  ['ALTER TABLE rooms ALTER topic SET NOT NULL', 'wants a value where there was none'],
  ['ALTER TABLE rooms ADD COLUMN colour TEXT NOT NULL', 'older programs do not write'],
  ['ALTER TABLE rooms ADD CONSTRAINT c CHECK (topic <> name)', 'older programs may break'],
  ['CREATE UNIQUE INDEX i ON rooms (topic)', 'older programs may break'],
])('%s is a contraction, which must say what it needs', (sql, what) => {
  expect(problemOf(sql)).toContain(what)
  expect(problemOf(`-- Needs: 8\n${sql}`)).toBeUndefined()
  expect(problemOf(`-- Needs: 9\n${sql}`)).toContain('no version before it knows')
})

test('the schema that is needed is read from a line of its own', () => {
  expect(neededSchema({ sql: '-- Needs: 12\nDROP TABLE rooms' })).toBe(12)
  expect(neededSchema({ sql: "INSERT INTO rooms VALUES ('-- Needs: 12')" })).toBe(0)
})
