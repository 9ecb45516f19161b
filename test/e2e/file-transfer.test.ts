import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ssh2, { type SFTPWrapper } from 'ssh2'
import { describe, afterAll, beforeAll, expect, test } from 'vitest'
import { scp, sftp } from '../support/scp.ts'
import type { AnyServer } from '../support/server.ts'
import { createStage, createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ config: '[sandbox]\ndisk_mb = 4\n', isShared: true })
  await stage.claim('olga')
})
afterAll(() => stage[Symbol.asyncDispose]())

const own = (...path: readonly string[]): string => join(stage.dir, ...path)
const inRoom = (room: string, ...path: readonly string[]): string =>
  join(stage.server.dataDir, 'rooms', room, 'files', ...path)

/** Makes a room of olga's with a file in it. */
async function makeRoom(name: string, ...words: readonly string[]): Promise<void> {
  expect(await stage.as('olga', ['create', name, ...words])).toMatchObject({ exitCode: 0 })
  await writeFile(own(`${name}.txt`), 'one\n')
  expect(await scp(stage, 'olga', [`${name}.txt`, `host:${name}/`])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  })
}

test('scp uploads a file to a room and downloads the same bytes', async () => {
  const content = randomBytes(1_500_001)
  await makeRoom('bytes')
  await writeFile(own('blob'), content)
  expect(await scp(stage, 'olga', ['blob', 'host:bytes'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await readFile(inRoom('bytes', 'blob'))).equals(content)).toBe(true)
  expect((await stat(inRoom('bytes', 'blob'))).mode & 0o777).toBe(0o644)
  expect(await scp(stage, 'olga', ['host:bytes/blob', 'back'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await readFile(own('back'))).equals(content)).toBe(true)
  expect((await readdir(inRoom('bytes'))).toSorted()).toEqual(['blob', 'bytes.txt'])
})

test('scp -r uploads a directory and downloads it again', async () => {
  await makeRoom('trees')
  await mkdir(own('tree', 'deep', 'empty'), { recursive: true })
  await writeFile(own('tree', 'deep', 'a b.txt'), 'deep\n')
  await writeFile(own('tree', 'none'), '')
  expect(await scp(stage, 'olga', ['-rp', 'tree', 'host:trees/'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await scp(stage, 'olga', ['-r', 'host:trees/tree', 'again'])).toMatchObject({ exitCode: 0 })
  expect(await readFile(own('again', 'deep', 'a b.txt'), 'utf8')).toBe('deep\n')
  expect((await readdir(own('again'), { recursive: true })).toSorted()).toEqual([
    'deep',
    'deep/a b.txt',
    'deep/empty',
    'none',
  ])
})

/** The entries of kind `file` in a room, oldest first. */
async function toldIn(room: string): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await stage.as('olga', ['history', room, '--json', '-n', '50'])
  const entries = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return (entries as Record<string, unknown>[]).filter(({ kind }) => kind === 'file')
}

test('one line in the room lists the files that were uploaded over one connection', async () => {
  await makeRoom('told')
  await writeFile(own('p.png'), Buffer.from('89504e470d0a1a0a00', 'hex'))
  await writeFile(own('nothing'), '')
  expect(await scp(stage, 'olga', ['p.png', 'nothing', 'told.txt', 'host:told/'])).toMatchObject({
    exitCode: 0,
  })
  const [first, second, ...more] = await toldIn('told')
  expect(more).toEqual([])
  expect(first).toMatchObject({ author: 'olga', text: 'put told.txt (text, 4 B)' })
  expect(second).toMatchObject({
    text: 'put p.png (PNG picture, 9 B), nothing (empty, 0 B), told.txt (text, 4 B)',
    files: [
      { name: 'p.png', event: 'made', size: 9, type: 'PNG picture' },
      { name: 'nothing', event: 'made', size: 0, type: 'empty' },
      { name: 'told.txt', event: 'changed', size: 4, type: 'text' },
    ],
  })
  expect((await stage.as('olga', ['history', 'told', '-n', '1'])).stdout).toMatch(/-- olga: put p\.png \(PNG/)
})

test('the line about an upload has the last name of a renamed file and omits a removed file', async () => {
  await makeRoom('moved')
  const commands = [
    'put moved.txt moved/x.part',
    'rename moved/x.part moved/x',
    'put moved.txt moved/y',
    'rm moved/y',
  ]
  expect(await sftp(stage, 'olga', commands)).toMatchObject({ exitCode: 0 })
  expect((await toldIn('moved')).at(-1)).toMatchObject({ text: 'put x (text, 4 B)' })
})

test('a person can list visible rooms over sftp, and rename or remove files in them', async () => {
  await makeRoom('hall')
  await makeRoom('den', '--private')
  expect((await sftp(stage, 'bob', ['ls'])).stdout).toMatch(/hall/)
  expect((await sftp(stage, 'bob', ['ls'])).stdout).not.toMatch(/den/)
  const commands = [
    'cd hall',
    'mkdir d',
    'put hall.txt d/x',
    'rename d/x d/y',
    'ls -l d',
    'rm d/y',
    'rmdir d',
  ]
  const { stdout, stderr, exitCode } = await sftp(stage, 'bob', commands)
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout).toMatch(/^-rw-r--r-- +4 20\d\d-\d\d-\d\d \d\d:\d\d y$/m)
  expect(await readdir(inRoom('hall'))).toEqual(['hall.txt'])
})

test('an upload over the disk quota of a room is rejected, and the old file is unchanged', async () => {
  await makeRoom('full')
  await writeFile(own('large'), randomBytes(5_000_000))
  const { exitCode, stderr } = await scp(stage, 'olga', ['large', 'host:full/full.txt'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('the workspace is full (4 MiB and 200000 files are allowed)')
  expect(await readdir(inRoom('full'))).toEqual(['full.txt'])
  expect(await readFile(inRoom('full', 'full.txt'), 'utf8')).toBe('one\n')
})

test('an upload into a directory that does not exist is rejected', async () => {
  await makeRoom('bare')
  const put = () => scp(stage, 'olga', ['bare.txt', 'host:bare/d/'])
  const { exitCode, stderr } = await put()
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('! there is no directory')
  expect(await readdir(inRoom('bare'))).toEqual(['bare.txt'])
  expect(await sftp(stage, 'olga', ['mkdir bare/d'])).toMatchObject({ exitCode: 0 })
  expect(await put()).toMatchObject({ exitCode: 0 })
  expect(await readdir(inRoom('bare', 'd'))).toEqual(['bare.txt'])
})

test('symbolic links in a workspace are not followed by scp or sftp', async () => {
  await makeRoom('links')
  await writeFile(own('secret'), 'secret\n')
  await symlink(own('secret'), inRoom('links', 'file'))
  await symlink(stage.dir, inRoom('links', 'out'))
  await symlink('links.txt', inRoom('links', 'inside'))
  for (const path of ['file', 'out/secret', 'inside']) {
    const got = await scp(stage, 'olga', [`host:links/${path}`, 'stolen'])
    expect(got.exitCode).not.toBe(0)
    const put = await sftp(stage, 'olga', [`put links.txt links/${path}`])
    expect(put.exitCode).not.toBe(0)
  }
  expect(await readdir(stage.dir)).not.toContain('stolen')
  expect(await readFile(own('secret'), 'utf8')).toBe('secret\n')
  expect(await sftp(stage, 'olga', ['symlink links.txt links/more'])).toMatchObject({ exitCode: 1 })
  expect(await sftp(stage, 'olga', ['rm links/out'])).toMatchObject({ exitCode: 0 })
  expect(await readFile(own('secret'), 'utf8')).toBe('secret\n')
})

const HIDDEN = ['a\u009b31mb', 'a\u202eb', 'a\u200bb', 'a\u0007b']

test('a file, directory or rename is refused if the name has control or invisible characters', async () => {
  await makeRoom('names')
  await writeFile(own('plain'), 'x')
  for (const name of HIDDEN) {
    for (const command of [
      `put plain names/${name}`,
      `mkdir names/${name}`,
      `rename names/names.txt names/${name}`,
    ]) {
      const { exitCode, stderr } = await sftp(stage, 'olga', [command])
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/! 'a\\u\{[\da-f]+\}(31m)?b' has control or invisible characters/)
    }
    await writeFile(own(name), 'x')
    expect((await scp(stage, 'olga', [name, 'host:names/'])).exitCode).not.toBe(0)
  }
  expect(await readdir(inRoom('names'))).toEqual(['names.txt'])
  expect(stage.server.stderr()).not.toMatch(/[\u0080-\u009f\u200b\u202e]/)
})

test('a name with hidden characters that a command made is spelled out in lists, errors and the log', async () => {
  await makeRoom('odd')
  for (const name of [...HIDDEN, 'x\n-rw-r--r-- 1 forged']) await writeFile(inRoom('odd', name), '')
  const listed = [await sftp(stage, 'olga', ['ls -l odd']), await sftp(stage, 'olga', ['ls -1 odd'])]
  for (const { stdout, stderr } of listed) {
    expect(stderr).toBe('')
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u200b\u202e]|^-rw-r--r-- 1 forged/mu)
    expect(stdout).toContain('a\\u{202e}b')
    expect(stdout).toContain('x\\u{a}-rw-r--r-- 1 forged')
  }
  await symlink('/etc', inRoom('odd', 'to\u202eetc'))
  const { stderr } = await sftp(stage, 'olga', ['ls odd/to\u202eetc/x'])
  expect(stderr).toContain("'to\\u{202e}etc' is outside the workspace")
  expect(await sftp(stage, 'olga', ['rm odd/a\u202eb'])).toMatchObject({ exitCode: 0 })
  expect(stage.server.stderr()).toContain('a\\\\u{202e}b')
  expect(stage.server.stderr()).not.toMatch(/[\u0080-\u009f\u200b\u202e]/)
})

test('a muted person can download files, but cannot upload or change any', async () => {
  await makeRoom('calm')
  expect(await stage.as('bob', ['whoami'])).toMatchObject({ exitCode: 0 })
  expect(await stage.as('olga', ['mute', 'calm', 'bob'])).toMatchObject({ exitCode: 0 })
  expect(await scp(stage, 'bob', ['host:calm/calm.txt', 'got'])).toMatchObject({ exitCode: 0 })
  for (const command of [
    'put calm.txt calm/x',
    'rm calm/calm.txt',
    'mkdir calm/d',
    'rename calm/calm.txt calm/x',
  ]) {
    const { exitCode, stderr } = await sftp(stage, 'bob', [command])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('! you are muted in calm')
  }
  expect(await readdir(inRoom('calm'))).toEqual(['calm.txt'])
})

test("a private room answers a non-member's scp like a room that does not exist", async () => {
  await makeRoom('hidden', '--private')
  await writeFile(own('file'), 'file\n')
  const said = async (room: string) => {
    const got = await scp(stage, 'bob', [`host:${room}/file`, 'got-hidden'])
    const put = await scp(stage, 'bob', ['file', `host:${room}/`])
    return [got, put].map(({ exitCode, stderr }) => ({ exitCode, text: stderr.replaceAll(room, 'ROOM') }))
  }
  const hidden = await said('hidden')
  expect(hidden).toEqual(await said('absent'))
  expect(hidden[1]!.text).toContain('! there is no room called ROOM')
  expect(await readdir(inRoom('hidden'))).toEqual(['hidden.txt'])
})

test('a guest can download files, but cannot upload any', async () => {
  await makeRoom('open')
  // Such a name looks like olga's.
  const got = await scp(stage, 'o1ga', ['host:open/open.txt', 'got-open'])
  expect(got).toMatchObject({ exitCode: 0 })
  const put = await scp(stage, 'o1ga', ['open.txt', 'host:open/x'])
  expect(put.exitCode).not.toBe(0)
  expect(put.stderr).toContain('! guests can get files, but not put any')
  expect(await readdir(inRoom('open'))).toEqual(['open.txt'])
})

test('the files of an archived room can be read and not changed', async () => {
  await makeRoom('past')
  expect(await stage.as('olga', ['archive', 'past', 'on'])).toMatchObject({ exitCode: 0 })
  expect(await scp(stage, 'olga', ['host:past/past.txt', 'got-past'])).toMatchObject({ exitCode: 0 })
  const { exitCode, stderr } = await scp(stage, 'olga', ['past.txt', 'host:past/x'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('past is archived')
})

test('a person who is banned from a room cannot download its files', async () => {
  await makeRoom('club')
  await stage.as('eve', ['whoami'])
  expect(await stage.as('olga', ['ban', '--room', 'club', '--yes', 'eve'])).toMatchObject({ exitCode: 0 })
  const { exitCode, stderr } = await scp(stage, 'eve', ['host:club/club.txt', 'got-club'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('you are banned from club')
})

test('scp -O is rejected with the hint to omit -O', async () => {
  await writeFile(own('x'), 'x')
  const { exitCode, stderr } = await scp(stage, 'olga', ['-O', 'x', 'host:lobby/'])
  expect(exitCode).not.toBe(0)
  expect(stderr).toContain('scp works without -O')
})

/** SFTP requests that OpenSSH does not send. */
async function openSftp(
  name: string,
  { home, server }: Stage<AnyServer> = stage,
): Promise<{ client: ssh2.Client; sftp: SFTPWrapper }> {
  const client = new ssh2.Client()
  const privateKey = await readFile(await home.key(name))
  client.connect({ host: '127.0.0.1', port: server.port, username: name, privateKey })
  await once(client, 'ready')
  const requested = await new Promise<SFTPWrapper>((resolve, reject) =>
    client.sftp((error, wrapper) => (error ? reject(error) : resolve(wrapper))),
  )
  return { client, sftp: requested }
}

const opened = (files: SFTPWrapper, path: string, flags: 'r' | 'w' | 'a'): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    files.open(path, flags, (error, handle) => (error ? reject(error) : resolve(handle))),
  )

const written = (files: SFTPWrapper, handle: Buffer, text: string, offset: number): Promise<void> =>
  new Promise((resolve, reject) =>
    files.write(handle, Buffer.from(text), 0, text.length, offset, (error) =>
      error ? reject(error) : resolve(),
    ),
  )

test('an upload that breaks off leaves the old file and no temporary file', async () => {
  await makeRoom('broken')
  const { client, sftp: files } = await openSftp('olga')
  await written(files, await opened(files, '/broken/broken.txt', 'w'), 'two', 0)
  expect(await readdir(inRoom('broken'))).toHaveLength(2)
  client.end()
  await expect.poll(() => readdir(inRoom('broken'))).toEqual(['broken.txt'])
  expect(await readFile(inRoom('broken', 'broken.txt'), 'utf8')).toBe('one\n')
})

test('the temporary file of an upload is removed after a crash, but no similar file', async () => {
  await using crashing = await createStage()
  const lobby = join(crashing.server.dataDir, 'rooms', 'lobby', 'files')
  await crashing.as('ann', ['whoami'])
  const { client, sftp: files } = await openSftp('ann', crashing)
  client.on('error', () => {})
  await written(files, await opened(files, '/lobby/x', 'w'), 'half', 0)
  await writeFile(join(lobby, '.my.draft'), 'mine')
  expect(await readdir(lobby)).toHaveLength(2)
  await crashing.restart('SIGKILL')
  expect(await sftp(crashing, 'ann', ['ls lobby'])).toMatchObject({ exitCode: 0 })
  expect(await readdir(lobby)).toEqual(['.my.draft'])
  client.end()
})

test('a person who is muted during an upload cannot finish it', async () => {
  await makeRoom('midway')
  await stage.as('mel', ['whoami'])
  const { client, sftp: files } = await openSftp('mel')
  const handle = await opened(files, '/midway/x', 'w')
  await written(files, handle, 'one', 0)
  expect(await stage.as('olga', ['mute', 'midway', 'mel'])).toMatchObject({ exitCode: 0 })
  await expect(written(files, handle, 'two', 3)).rejects.toThrow('you are muted in midway')
  const closed = new Promise<Error | null | undefined>((resolve) => files.close(handle, resolve))
  expect((await closed)?.message).toContain('you are muted in midway')
  expect(await readdir(inRoom('midway'))).toEqual(['midway.txt'])
  client.end()
})

test('a person who is banned from the room during an upload cannot finish it', async () => {
  await makeRoom('shut')
  await stage.as('bea', ['whoami'])
  const { client, sftp: files } = await openSftp('bea')
  const handle = await opened(files, '/shut/x', 'w')
  await written(files, handle, 'one', 0)
  expect(await stage.as('olga', ['ban', '--room', 'shut', 'bea'])).toMatchObject({ exitCode: 0 })
  const closed = new Promise<Error | null | undefined>((resolve) => files.close(handle, resolve))
  expect((await closed)?.message).toContain('you are banned from shut')
  expect(await readdir(inRoom('shut'))).toEqual(['shut.txt'])
  client.end()
})

test('a person who is banned from the server during an upload cannot finish it', async () => {
  await makeRoom('gate')
  await stage.as('zed', ['whoami'])
  const { client, sftp: files } = await openSftp('zed')
  await written(files, await opened(files, '/gate/x', 'w'), 'one', 0)
  const gone = once(client, 'close')
  expect(await stage.as('olga', ['ban', '--yes', 'zed'])).toMatchObject({ exitCode: 0 })
  await gone
  await expect.poll(() => readdir(inRoom('gate'))).toEqual(['gate.txt'])
  expect((await scp(stage, 'zed', ['host:gate/gate.txt', 'got-gate'])).exitCode).not.toBe(0)
})

test('an append or a write at a far offset is rejected and leaves the file unchanged', async () => {
  await makeRoom('partly')
  const { client, sftp: files } = await openSftp('olga')
  await expect(opened(files, '/partly/partly.txt', 'a')).rejects.toThrow('nothing is appended')
  const handle = await opened(files, '/partly/partly.txt', 'w')
  await expect(written(files, handle, 'x', 2 ** 40)).rejects.toThrow('is put as a whole')
  expect(await readFile(inRoom('partly', 'partly.txt'), 'utf8')).toBe('one\n')
  client.end()
})

test('a client can have at most 32 files open', async () => {
  await makeRoom('many')
  const { client, sftp: files } = await openSftp('olga')
  for (let count = 0; count < 32; count++) await opened(files, '/many/many.txt', 'r')
  await expect(opened(files, '/many/many.txt', 'r')).rejects.toThrow('32 are open')
  client.end()
})

test('invalid SFTP packets end the transfer, and the server keeps running', async () => {
  for (const bytes of [
    [0xff, 0xff, 0xff, 0xff, 1],
    [0, 0, 0, 0],
    [0, 0, 0, 1, 99],
    [0, 16, 0, 0],
  ]) {
    const client = new ssh2.Client()
    const privateKey = await readFile(await stage.home.key('olga'))
    client.connect({ host: '127.0.0.1', port: stage.server.port, username: 'olga', privateKey })
    await once(client, 'ready')
    const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
      client.subsys('sftp', (error, stream) => (error ? reject(error) : resolve(stream))),
    )
    channel.resume().write(Buffer.from(bytes))
    await once(channel, 'close')
    client.end()
  }
  expect(await stage.as('olga', ['whoami'])).toMatchObject({ exitCode: 0 })
})

describe('the byte quota of a day', () => {
  let stage: Stage<AnyServer>
  beforeAll(async () => {
    stage = await createStageHere({ config: '[limits]\nbytes_per_person_day = 100_000\n' })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('an upload over bytes_per_person_day is rejected', async () => {
    await writeFile(join(stage.dir, 'small'), 'x'.repeat(60_000))
    expect(await scp(stage, 'ann', ['small', 'host:lobby/'])).toMatchObject({ exitCode: 0 })
    const { exitCode, stderr } = await scp(stage, 'ann', ['small', 'host:lobby/again'])
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('with what models and tools stored for you (bytes_per_person_day, 100000)')
    expect(await readdir(join(stage.server.dataDir, 'rooms', 'lobby', 'files'))).toEqual(['small'])
  })

  test('a person whose uploads reached bytes_per_person_day can still speak', async () => {
    await writeFile(join(stage.dir, 'most'), 'x'.repeat(87_000))
    expect(await scp(stage, 'bob', ['most', 'host:lobby/'])).toMatchObject({ exitCode: 0 })
    await writeFile(join(stage.dir, 'more'), 'x'.repeat(1_000))
    expect((await scp(stage, 'bob', ['more', 'host:lobby/'])).stderr).toContain('bytes_per_person_day')
    expect(await stage.as('bob', ['say', 'lobby', 'x'.repeat(1_000)])).toMatchObject({ exitCode: 0 })
  })
})
