import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { silentFolders } from '../../checks/folder-comments.ts'
import { readSources } from '../../metrics/source-files.ts'

const COMMENT = '/** What this folder is for. */\n'
const CODE = "import { a } from './a.ts'\nexport const b = a\n"

test('every folder of src says what it is for', async () => {
  const sources = await readSources(fileURLToPath(new URL('../../..', import.meta.url)))
  expect(silentFolders(sources)).toEqual([])
})

test.each([
  ['the ports of a folder that has some', { 'src/x/ports.ts': COMMENT + CODE, 'src/x/a.ts': CODE }, []],
  ['a file beside them', { 'src/x/ports.ts': CODE, 'src/x/a.ts': COMMENT + CODE }, ['src/x']],
  [
    'a file beside the one with the name of the folder',
    { 'src/x/x.ts': CODE, 'src/x/a.ts': COMMENT + CODE },
    ['src/x'],
  ],
  ['the listed file, where none of these is there', { 'src/x/a.ts': COMMENT + CODE, 'src/x/b.ts': CODE }, []],
  ['no other file', { 'src/x/a.ts': CODE, 'src/x/b.ts': COMMENT + CODE }, ['src/x']],
  ['no file at all, where none is listed', { 'src/y/a.ts': COMMENT + CODE }, ['src/y']],
  ['a comment on lines', { 'src/x/a.ts': `// For\n// this.\n${CODE}` }, []],
  ['a declaration', { 'src/x/a.ts': `${COMMENT}export const c = 1\n` }, ['src/x']],
])('that is looked for in %s', (_, files, silent) => {
  expect(silentFolders(new Map(Object.entries(files)), { 'src/x': 'a.ts' })).toEqual(silent)
})
