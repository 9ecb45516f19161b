import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sharedTypeNames } from '../../checks/type-names.ts'
import { readSources } from '../../metrics/source-files.ts'

test('no two exported types of src have one name', async () => {
  const sources = await readSources(fileURLToPath(new URL('../../..', import.meta.url)))
  expect(sharedTypeNames(sources)).toEqual([])
})

const twice = { 'src/a.ts': 'export interface Seat {}\n', 'src/b/c.ts': 'export class Seat {}\n' }

test.each([
  ['a name that two types have', twice, [], ['src/a.ts, src/b/c.ts: each exports a type Seat']],
  ['no name that is listed', twice, ['Seat'], []],
  ['a listed name that one type has', { 'src/a.ts': 'export type Seat = 1\n' }, ['Seat'], ['only one type']],
  ['no type that is not exported', { ...twice, 'src/b/c.ts': 'type Seat = 1\n' }, [], []],
  ['no name that is given on', { ...twice, 'src/b/c.ts': "export type { Seat } from '../a.ts'\n" }, [], []],
  ['no type of a test', { 'src/a.ts': twice['src/a.ts'], 'test/a.ts': twice['src/a.ts'] }, [], []],
])('it complains of %s', (_, files, listed, expected) => {
  const shared = new Map(listed.map((name) => [name, 'a reason']))
  const problems = sharedTypeNames(new Map(Object.entries(files)), shared)
  expect(problems).toEqual(expected.map((part) => expect.stringContaining(part) as string))
})
