import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import { scp, sftp } from '../support/scp.ts'
import { createModelStageHere } from '../support/stage.ts'

const stage = await forAllTests(createModelStageHere('', { isShared: true }))
await stage.claim('rhea')

const own = (name: string): string => join(stage.dir, name)
const inRoom = (room: string, ...path: readonly string[]): string =>
  join(stage.dir, 'data', 'rooms', room, ...path)

async function makeRoom(name: string, ...words: readonly string[]): Promise<void> {
  expect(await stage.as('rhea', ['create', name, ...words])).toMatchObject({ exitCode: 0 })
}

async function put(room: string, name: string, content: string | Buffer): Promise<void> {
  await writeFile(own(name), content)
  expect(await scp(stage, 'rhea', [name, `host:${room}/`])).toMatchObject({ exitCode: 0, stderr: '' })
}

const files = (room: string, ...words: readonly string[]) => stage.as('rhea', ['files', room, ...words])

/** Lets a model write a file for rhea, without a question. */
async function letWrite(room: string, file_path: string, content: string): Promise<void> {
  stage.models.play(calls('write_file', { file_path, content }), says('done'))
  const asked = ['ask', '--allow', 'write_file', room, '@qwen', 'write']
  expect(await stage.as('rhea', asked)).toMatchObject({ exitCode: 0 })
}

test('/files lists sizes and last authors, and shows a text without control characters', async () => {
  await makeRoom('listed')
  await put('listed', 'b.txt', 'one\n\u001b[31mtwo\n')
  await mkdir(inRoom('listed', 'files', 'd'))
  await writeFile(inRoom('listed', 'files', 'd', 'a.bin'), Buffer.from([1, 0]))
  expect(JSON.parse((await files('listed', '--json')).stdout)).toMatchObject([
    { path: 'b.txt', size: 13, by: 'rhea' },
    { path: 'd/a.bin', size: 2 },
  ])
  expect((await files('listed')).stdout).toMatch(/ 13 B .*  rhea  b\.txt\n.* 2 B .*  d\/a\.bin\n/)
  expect((await files('listed', 'b.txt')).stdout).toBe('one\ntwo\n')
  expect((await files('listed', '--raw', 'b.txt')).stdout).toBe('one\n\u001b[31mtwo\n')
  expect((await files('listed', 'd/a.bin')).stdout).toContain('d/a.bin: data, 2 B;')
  expect((await files('listed', 'gone')).stderr).toContain("there is no file 'gone' here")
  expect((await files('listed', '../backups')).exitCode).toBe(1)
})

test('files --raw prints the unchanged bytes of a file', async () => {
  await makeRoom('raw')
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256))
  await put('raw', 'blob', content)
  const client = new ssh2.Client()
  const privateKey = await readFile(await stage.home.key('rhea'))
  client.connect({ host: '127.0.0.1', port: stage.server.port, username: 'rhea', privateKey })
  await once(client, 'ready')
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.exec('files raw --raw blob', (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  const pieces: Buffer[] = []
  for await (const piece of channel as AsyncIterable<Buffer>) pieces.push(piece)
  client.end()
  expect(Buffer.concat(pieces).equals(content)).toBe(true)
})

test('a file that sftp replaced or removed can be compared and restored as a version', async () => {
  await makeRoom('old')
  await put('old', 'x', 'one\n')
  await put('old', 'x', 'two\n')
  expect(await sftp(stage, 'rhea', ['rm old/x'])).toMatchObject({ exitCode: 0 })
  expect(JSON.parse((await files('old', '--json', '--versions', 'x')).stdout)).toMatchObject([
    { version: 1, by: 'rhea', event: 'changed', size: 4 },
    { version: 2, by: 'rhea', event: 'removed', size: 4 },
  ])
  expect(await files('old', '--back', '1', 'x')).toMatchObject({ stdout: 'put back version 1 of x\n' })
  expect(await readFile(inRoom('old', 'files', 'x'), 'utf8')).toBe('one\n')
  expect((await files('old', '--diff', '2', 'x')).stdout).toBe('- 1  two\n+ 1  one\n')
  expect((await files('old', '--back', '9', 'x')).stderr).toContain('there is no version 9 of it')
  const { stdout } = await stage.as('rhea', ['history', 'old', '--json', '-n', '1'])
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'file', author: 'rhea', text: 'put back version 1 of x' })
})

test('/undo restores the files that the last turn wrote, except those that were changed later', async () => {
  await makeRoom('undone')
  await put('undone', 'a', 'mine\n')
  await letWrite('undone', 'a', 'its\n')
  const plan = await stage.as('rhea', ['undo', 'undone'])
  expect(plan.stdout).toMatch(/^-- qwen wrote, .*:\n {3}a: back to version 1\n/)
  expect(await readFile(inRoom('undone', 'files', 'a'), 'utf8')).toBe('its\n')
  expect((await stage.as('rhea', ['undo', 'undone', 'yes'])).stdout).toBe(
    'undid what qwen wrote: put back version 1 of a\n',
  )
  expect(await readFile(inRoom('undone', 'files', 'a'), 'utf8')).toBe('mine\n')
  await letWrite('undone', 'new', 'x')
  expect((await stage.as('rhea', ['undo', 'undone', 'yes'])).stdout).toContain('removed new')
  expect(await readdir(inRoom('undone', 'files'))).toEqual(['a'])
  await letWrite('undone', 'a', 'again\n')
  await put('undone', 'a', 'later\n')
  expect((await stage.as('rhea', ['undo', 'undone', 'yes'])).stdout).toContain(
    'a: stays, rhea changed it since',
  )
  expect(await readFile(inRoom('undone', 'files', 'a'), 'utf8')).toBe('later\n')
  expect((await stage.as('bob', ['undo', 'undone'])).stderr).toContain('no turn of yours wrote a file')
})

/** The entries of kind `file` in a room, oldest first. */
async function toldIn(room: string): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await stage.as('rhea', ['history', room, '--json', '-n', '50'])
  const entries = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return (entries as Record<string, unknown>[]).filter(({ kind }) => kind === 'file')
}

test.skipIf(lacks('bwrap'))(
  'files that a command of a model changed are named in one line and have no version',
  async () => {
    await makeRoom('commanded')
    await put('commanded', 'gone', 'x\n')
    await put('commanded', 'old', 'x\n')
    const command = 'rm gone; echo more >> old; for n in 1 2 3 4 5 6 7 8 9; do echo $n > made-$n; done'
    stage.models.play(
      calls('run_command', { command }),
      calls('run_command', { command: 'ls' }),
      says('done'),
    )
    const asked = ['ask', '--allow', 'run_command', 'commanded', '@qwen', 'make files']
    expect(await stage.as('rhea', asked)).toMatchObject({ exitCode: 0 })
    const [entry, ...more] = (await toldIn('commanded')).slice(2)
    expect(more).toEqual([])
    expect(entry).toMatchObject({ author: 'qwen', turn: expect.any(String) })
    expect(entry!['text']).toMatch(
      /^made made-1 \(text, 2 B\), .* and 1 more; changed old \(text, 7 B\); removed gone$/,
    )
    expect(entry!['files']).toHaveLength(11)
    expect(JSON.parse((await files('commanded', '--json', '--versions', 'old')).stdout)).toEqual([])
  },
)

test.skipIf(lacks('bwrap'))('files that a command of a person changed are named in one line', async () => {
  await makeRoom('ran')
  const call = ['run', 'ran', '--allow', 'run_command', 'run_command', '{"command": "echo x > by-rhea"}']
  expect(await stage.as('rhea', call)).toMatchObject({ exitCode: 0 })
  expect(await toldIn('ran')).toMatchObject([{ author: 'rhea', text: 'made by-rhea (text, 2 B)' }])
})

test('the files of a private room are answered to non-members like those of a missing room', async () => {
  await makeRoom('den', '--private')
  await put('den', 'secret.txt', 'x\n')
  for (const words of [['den'], ['den', 'secret.txt'], ['den', '--versions', 'secret.txt']]) {
    const refused = await stage.as('bob', ['files', ...words])
    const missing = await stage.as('bob', ['files', 'none', ...words.slice(1)])
    expect({ ...refused, stderr: refused.stderr.replaceAll('den', 'none') }).toMatchObject({
      exitCode: missing.exitCode,
      stderr: missing.stderr,
    })
  }
})

test('purge --files removes the versions that a person wrote or replaced', async () => {
  await makeRoom('purged')
  await writeFile(own('by-carl'), 'carl\n')
  for (let times = 0; times < 2; times += 1)
    expect(await scp(stage, 'carl', ['by-carl', 'host:purged/'])).toMatchObject({ exitCode: 0 })
  await writeFile(own('by-carl'), 'rhea\n')
  expect(await scp(stage, 'rhea', ['by-carl', 'host:purged/'])).toMatchObject({ exitCode: 0 })
  expect(JSON.parse((await files('purged', '--json', '--versions', 'by-carl')).stdout)).toHaveLength(2)
  expect((await stage.as('rhea', ['purge', 'carl', '--yes', '--files'])).stdout).toContain(
    'removed 2 versions of files',
  )
  expect(JSON.parse((await files('purged', '--json', '--versions', 'by-carl')).stdout)).toEqual([])
  expect(await readdir(inRoom('purged', 'backups'))).toEqual([])
})
