import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecPipe } from '../../src/session/ports.ts'
import { createSshHome, openSsh, ssh } from '../support/ssh.ts'
import type { SshHome } from '../support/ssh.ts'
import { handlerWith, startSshServer } from '../support/ssh-server.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const target = async (port: number, options: readonly string[] = []) => ({
  user: 'alice',
  port,
  key: await home.key('alice'),
  options,
})

/** A server whose commands are run by `exec`. */
const withExec = (exec: (line: string, pipe: ExecPipe) => Promise<number>) =>
  startSshServer(handlerWith({ exec: (_person, line, pipe) => exec(line, pipe) }))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('a command gets its line as it was sent, and both streams and the exit status come back', async () => {
  await using server = await withExec(async (line, pipe) => {
    await pipe.out(`got ${line}\n`)
    await pipe.err('but\n')
    return 7
  })
  const result = await ssh(await target(server.port), ['say', 'lobby', `it's "quoted"  twice`])
  expect(result).toMatchObject({ stdout: `got say lobby it's "quoted"  twice\n`, exitCode: 7 })
  expect(result.stderr).toContain('but\n')
})

test('a command line that is too long for a packet is refused in a sentence', async () => {
  await using server = await withExec(async (line, pipe) => {
    await pipe.out(String(line.length))
    return 0
  })
  const of = async (length: number) => await ssh(await target(server.port), ['x'.repeat(length)])
  expect(await of(34_000)).toMatchObject({ stdout: '34000', exitCode: 0 })
  for (const length of [35_000, 100_000]) {
    const { stdout, stderr, exitCode } = await of(length)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 255 })
    expect(stderr).toContain(
      'nothing was done: a command line can have about 34,000 bytes; pipe a longer text in',
    )
  }
})

test('five megabytes of output arrive whole although the command does not wait for the reader', async () => {
  const text = Array.from({ length: 100_000 }, (_, i) => `line ${i} ${'é'.repeat(20)}\n`).join('')
  expect(Buffer.byteLength(text)).toBeGreaterThan(5_000_000)
  await using server = await withExec(async (_line, pipe) => {
    void pipe.out(text)
    return 3
  })
  const { stdout, exitCode } = await ssh(await target(server.port), ['history'])
  expect([sha256(stdout), exitCode]).toEqual([sha256(text), 3])
})

test('both streams arrive whole when both have to wait for the window', async () => {
  const chunk = 'x'.repeat(65_536)
  await using server = await withExec(async (_line, pipe) => {
    for (let i = 0; i < 60; i++) await Promise.all([pipe.out(chunk), pipe.err(chunk)])
    return 0
  })
  const { stdout, stderr, exitCode } = await ssh(await target(server.port), ['both'])
  expect(stdout.length).toBe(60 * 65_536)
  expect(stderr.match(/x/g)?.length).toBe(60 * 65_536)
  expect(exitCode).toBe(0)
})

test('standard input reaches the command to its last byte', async () => {
  const input = Buffer.alloc(3_000_000, 'abc\0\xff', 'latin1')
  await using server = await withExec(async (_line, pipe) => {
    const hash = createHash('sha256')
    for await (const chunk of pipe.stdin) hash.update(chunk)
    await pipe.out(hash.digest('hex'))
    return 0
  })
  const { stdout } = await ssh(await target(server.port), ['say', 'lobby'], { input })
  expect(stdout).toBe(createHash('sha256').update(input).digest('hex'))
})

test('a command that leaves its input unread, or stops in the middle of it, ends in peace', async () => {
  await using server = await withExec(async (line, pipe) => {
    if (line === 'one') for await (const _chunk of pipe.stdin) break
    await pipe.out('done')
    return 0
  })
  const input = 'y'.repeat(4_000_000)
  expect(await ssh(await target(server.port), ['one'], { input })).toMatchObject({
    stdout: 'done',
    exitCode: 0,
  })
  expect(await ssh(await target(server.port), ['none'], { input })).toMatchObject({
    stdout: 'done',
    exitCode: 0,
  })
})

test('the signal is aborted when the client is killed', async () => {
  let heard!: () => void
  const aborted = new Promise<void>((resolve) => (heard = resolve))
  await using server = await withExec(async (_line, pipe) => {
    pipe.signal.addEventListener('abort', heard)
    await pipe.out('started')
    await aborted
    await pipe.out('nobody hears this')
    return 0
  })
  await using client = openSsh(await target(server.port), ['ask'])
  await client.waitFor('started')
  client.child.kill('SIGKILL')
  await aborted
})

test('^C in a command with a pty aborts its signal, and its line ends fit a raw terminal', async () => {
  await using server = await withExec(async (_line, pipe) => {
    await pipe.out('started\n')
    await new Promise((resolve) => pipe.signal.addEventListener('abort', resolve))
    await pipe.out('stopped\n')
    return 130
  })
  await using client = openSsh(await target(server.port, ['-tt']), ['ask'])
  await client.waitFor('started\r\n')
  client.write('\x03')
  await client.waitFor('stopped\r\n')
  expect(await client.exit).toBe(130)
})

test('no escape sequence leaves through a command, whatever it prints', async () => {
  await using server = await withExec(async (_line, pipe) => {
    await pipe.out('a\x1b[31mb\u009b2Jc\x1b]0;title\x07d\n')
    return 0
  })
  expect((await ssh(await target(server.port), ['x'])).stdout).toBe('abcd\n')
})

test('a command that throws costs its caller an apology and nobody else anything', async () => {
  await using server = await withExec(async (line) => {
    if (line === 'boom') throw new Error('secret detail')
    return 0
  })
  const failed = await ssh(await target(server.port), ['boom'])
  expect(failed.exitCode).toBe(1)
  expect(failed.stderr).toContain('something went wrong on the server')
  expect(failed.stderr).not.toContain('secret')
  expect(server.logged.map(({ text }) => text)).toContain('command failed')
  expect((await ssh(await target(server.port), ['fine'])).exitCode).toBe(0)
})

test('the ninth command at once of one person is refused with words and status 1', async () => {
  let release!: () => void
  const held = new Promise<void>((resolve) => (release = resolve))
  await using server = await startSshServer(
    handlerWith({
      async exec(_person, _line, pipe) {
        await pipe.out('running')
        await held
        return 0
      },
    }),
    { exec_per_person: 2 },
  )
  await using first = openSsh(await target(server.port), ['wait'])
  await using second = openSsh(await target(server.port), ['wait'])
  await Promise.all([first.waitFor('running'), second.waitFor('running')])
  const third = await ssh(await target(server.port), ['wait'])
  expect(third.exitCode).toBe(1)
  expect(third.stderr).toContain('Too many commands at once')
  release()
  expect(await Promise.all([first.exit, second.exit])).toEqual([0, 0])
})
