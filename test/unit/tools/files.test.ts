import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NO_LOG } from '../../../src/wrap/embedding/context.ts'
import { createWorkspaces } from '../../../src/sandbox/workspaces.ts'
import { paths } from '../../../src/base/paths.ts'
import { editFile, writeFile as writeFileTool } from '../../../src/tools/builtin/files.ts'
import { contextFor } from './context.ts'
import { openWorkspace } from '../../support/workspace.ts'
import { callTool } from '../../support/call-tool.ts'

const limits = { fileBytes: 1000, memoryBytes: 1 << 27, processes: 64, diskBytes: 64 * 1024 }

let home: string
let room: string
let files: string
let workspaces: ReturnType<typeof createWorkspaces>
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sshawl-files-'))
  workspaces = createWorkspaces({
    root: home,
    searchEntry: paths.fileSearch,
    mode: 'none',
    limits,
    log: NO_LOG,
  })
})
afterAll(async () => {
  await workspaces[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

let count = 0
beforeEach(async () => {
  room = `room-${count++}`
  files = join(home, room, 'files')
  await mkdir(files, { recursive: true })
})

const context = (verdict: 'allow' | 'deny' = 'allow') => contextFor(workspaces.of(room), verdict)
const write = async (file_path: string, content: string) =>
  (await callTool(writeFileTool, { file_path, content }, context())).content
const edit = async (file_path: string, old_text: string, new_text: string) =>
  (await callTool(editFile, { file_path, old_text, new_text }, context())).content
const text = (name: string) => readFile(join(files, name), 'utf8')
const backups = () => readdir(join(home, room, 'backups')).catch(() => [])

it('write_file is refused in a full workspace until something is deleted', async () => {
  await writeFile(join(files, 'big'), 'x'.repeat(70_000))
  const full =
    'ERROR: write_file: the workspace is full (64 KiB and 200000 files are allowed), or a directory in it cannot be read; delete what is not needed'
  expect(await write('a.txt', 'one')).toBe(full)
  expect(await readdir(files)).toEqual(['big'])
  await rm(join(files, 'big'))
  expect(await write('a.txt', 'one')).toBe('Made a.txt.')
})

it('write_file makes the file with its directories and keeps a backup when it replaces a file', async () => {
  expect(await write('a/b/c.txt', 'one\n')).toBe('Made a/b/c.txt.')
  expect(await backups()).toEqual([])
  expect(await write('a/b/c.txt', 'two\n')).toBe('Replaced a/b/c.txt.')
  expect(await text('a/b/c.txt')).toBe('two\n')
  const [kept] = await backups()
  expect(kept).toMatch(/a%2Fb%2Fc\.txt$/)
  expect(await readFile(join(home, room, 'backups', kept!), 'utf8')).toBe('one\n')
  expect(await readdir(join(files, 'a', 'b'))).toEqual(['c.txt'])
})

it('write_file shows the whole text in its permission request and writes nothing if denied', async () => {
  const denied = context('deny')
  const result = await callTool(writeFileTool, { file_path: 'x', content: 'one\ntwo' }, denied)
  expect(result.content).toBe("ERROR: Permission denied: write 'x'?")
  expect(denied.asked).toMatchObject([{ access: 'write', target: 'x', detail: 'write x:\none\ntwo' }])
  expect(await readdir(files)).toEqual([])
})

it.each([
  ['../x', /outside the workspace/],
  ['new/', /is a directory/],
  ['new\nREADME.md', /'new\\u\{a\}README\.md' has control or invisible characters/],
  ['', /at least 1 characters/],
])('write_file refuses the path %j', async (path, message) => {
  const answer = await write(path, 'pwned')
  expect(answer).toMatch(/^ERROR: write_file: /)
  expect(answer).toMatch(message)
  expect(await readdir(files)).toEqual([])
})

it.each([
  ['../x', 'is outside the workspace'],
  ['link', 'is outside the workspace'],
  ['dir', 'is a directory, not a text file'],
  ['file/x', 'is not a directory'],
  ['x'.repeat(300), 'is too long for a path'],
])('write_file asks for no permission for %j, which cannot be written', async (path, message) => {
  await symlink('/etc/passwd', join(files, 'link'))
  await mkdir(join(files, 'dir'))
  await writeFile(join(files, 'file'), 'x')
  const asked = context()
  const answer = await writeFileTool.run({ file_path: path, content: 'pwned' }, asked)
  expect(answer.content).toMatch(/^ERROR: write_file: /)
  expect(answer.content).toContain(message)
  expect(asked.asked).toEqual([])
})

it('write_file refuses a text over the size limit and keeps the old file', async () => {
  await write('x', 'small')
  expect(await write('x', 'y'.repeat(1001))).toBe('ERROR: write_file: the text is too large (at most 1000 B)')
  expect(await text('x')).toBe('small')
})

it('write_file keeps at most a hundred old versions', async () => {
  await using own = await openWorkspace()
  for (let n = 0; n <= 103; n++) await own.workspace.changeText('x', () => `version ${n}`)
  expect(await readdir(join(own.root, 'lobby', 'backups'))).toHaveLength(100)
  expect(await readFile(join(own.files, 'x'), 'utf8')).toBe('version 103')
})

it('old versions of files count toward the space of a room, and the oldest are removed first', async () => {
  await writeFile(join(files, 'big'), 'x'.repeat(40_000))
  for (let n = 0; n <= 20; n++) await write('x', `version ${n}`)
  const kept = (await backups()).toSorted((a, b) => (a < b ? -1 : 1))
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length * 4096).toBeLessThan(24 * 1024)
  expect(await readFile(join(home, room, 'backups', kept.at(-1)!), 'utf8')).toBe('version 19')
  expect(await text('x')).toBe('version 20')
})

it.each([
  ['changes a line', 'one\n2\n', 'change x:\n  1  one\n- 2  two\n+ 2  2'],
  ['changes nothing', 'one\ntwo\n', 'write x with the text that it has'],
  ['is too different', 'y\n'.repeat(401), `replace x by:\n${'y\n'.repeat(401)}`],
])('write_file says in its permission request how a text that %s differs', async (_what, content, detail) => {
  await writeFile(join(files, 'x'), 'one\ntwo\n')
  const denied = context('deny')
  await callTool(writeFileTool, { file_path: 'x', content }, denied)
  expect(denied.asked).toMatchObject([{ detail }])
})

describe('edit_file', () => {
  beforeEach(() => writeFile(join(files, 'a.txt'), 'one\ntwo $& three\ntwo\n'))

  it('edit_file replaces the one matching place literally', async () => {
    expect(await edit('a.txt', 'two $& three', '$1 $& `')).toBe('Edited a.txt.')
    expect(await text('a.txt')).toBe('one\n$1 $& `\ntwo\n')
    expect(await backups()).toHaveLength(1)
  })

  it('edit_file shows the removed and the added lines in its permission request', async () => {
    const asked = context('deny')
    await callTool(editFile, { file_path: 'a.txt', old_text: 'one\ntwo', new_text: 'three' }, asked)
    const detail = 'edit a.txt:\n- 1  one\n- 2  two $& three\n+ 1  three $& three\n  2  two'
    expect(asked.asked).toMatchObject([{ detail, target: 'a.txt' }])
    expect(await text('a.txt')).toContain('one')
  })

  it.each([
    ['a.txt', 'four', "old_text is not in 'a.txt'; read the file and copy it exactly"],
    ['a.txt', 'two', "old_text is in 'a.txt' more than once (lines 2 and 3); take in more around it"],
    ['b.txt', 'x', "'b.txt' does not exist"],
    ['a.txt', '', 'old_text must be at least 1 characters long, got ""'],
    ['../a.txt', 'x', "'../a.txt' is outside the workspace; use a path inside it, such as src/main.c"],
  ])('edit_file refuses %s with old_text %j without a permission request', async (path, before, message) => {
    const asked = context()
    const result = await callTool(editFile, { file_path: path, old_text: before, new_text: 'x' }, asked)
    expect(result.content).toBe(`ERROR: edit_file: ${message}`)
    expect(asked.asked).toEqual([])
    expect(await text('a.txt')).toBe('one\ntwo $& three\ntwo\n')
  })

  it.each([
    ['the line ends', 'one\r\ntwo\r\n', 'one\ntwo', 'one\n1.5\nzwei', 'one\r\n1.5\r\nzwei\r\n'],
    ['line ends of both kinds', 'a\r\nb\nc\r\n', 'a\nb\nc', 'a\nb\nx\nc', 'a\r\nb\nx\r\nc\r\n'],
    ['a line end that is named in another form', 'a\nb\n', 'a\r\nb', 'a\r\nc', 'a\nc\n'],
    ['line ends of old Macs', 'one\rtwo\r', 'one\ntwo', 'one\n1.5\ntwo', 'one\r1.5\rtwo\r'],
    ['a byte order mark', '\uFEFFone\n', 'one', 'zero\none', '\uFEFFzero\none\n'],
    ['what cannot be seen', 'a\u200bb\fc d\n', 'abc d', 'abc e', 'a\u200bb\fc e\n'],
    ['no line end at the end', 'one\ntwo', 'two', 'two\nthree', 'one\ntwo\nthree'],
    ['emoji', 'x 👩‍🚀 y\r\n', 'x 👩‍🚀 y', 'x 👩‍🔧 y', 'x 👩‍🔧 y\r\n'],
    ['colours', '\u001b[1mm\u001b[0m n', 'm n', 'k n', '\u001b[1mk\u001b[0m n'],
    ['all but a line that goes', 'a\r\nb\r\nc', 'b\nc', 'c', 'a\r\nc'],
  ])('edit_file keeps %s', async (_what, before, old_text, new_text, after) => {
    await writeFile(join(files, 'kept'), before)
    expect(await edit('kept', old_text, new_text)).toBe('Edited kept.')
    expect(await text('kept')).toBe(after)
  })

  it('edit_file refuses an old_text without visible characters', async () => {
    expect(await edit('a.txt', '\u200b', 'x')).toBe('ERROR: edit_file: old_text has nothing that can be seen')
  })

  it('edit_file does not change a file that is not UTF-8 text', async () => {
    const latin1 = Buffer.from([0x63, 0xe9, 0x0a, 0x78])
    await writeFile(join(files, 'latin1'), latin1)
    expect(await edit('latin1', 'x', 'y')).toMatch(/is not a text file \(it is not UTF-8\)/)
    expect(await readFile(join(files, 'latin1'))).toEqual(latin1)
  })

  it('edit_file applies all of many concurrent edits', async () => {
    const letters = Array.from('abcdefghij')
    await writeFile(join(files, 'many'), letters.map((letter) => `<${letter}>`).join(''))
    const answers = await Promise.all(letters.map((letter) => edit('many', `<${letter}>`, `[${letter}]`)))
    expect(new Set(answers)).toEqual(new Set(['Edited many.']))
    expect(await text('many')).toBe(letters.map((letter) => `[${letter}]`).join(''))
  })
})
