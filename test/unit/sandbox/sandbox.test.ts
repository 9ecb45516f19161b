import { writeFileSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mark, processesWith } from '../../contract/workspace/run-exam.ts'
import { hasProcessLimit, NO_PROCESS_LIMIT } from '../../../src/sandbox/probe.ts'
import { openWorkspace, sandbox, type OneWorkspace } from '../../support/workspace.ts'

const LIMITS = { timeoutMs: 40_000, outputLines: 2000, outputBytes: 256 * 1024 }
const never = new AbortController().signal

/** Waits for processes to start or end: as long as a test may take, since a busy machine is slow at both. */
const WAIT = { timeout: 50_000 }

describe.each([
  { mode: 'bubblewrap' as const, skip: !sandbox.works },
  { mode: 'none' as const, skip: false },
])('the workspaces, mode $mode', ({ mode, skip }) => {
  describe.skipIf(skip)('', () => {
    it('a command cannot exceed the disk limit of its room, but can delete files of a full room', async () => {
      await using full = await openWorkspace({ mode, limits: { diskBytes: 1024 * 1024 } })
      const run = (line: string) => full.workspace.run({ shell: line }, LIMITS, never)
      const mostBytes = 980 * 1024
      // A full room may be seen while the command runs, which stops it; a nearly full one only at its end.
      expect(await run(`head -c ${mostBytes} /dev/zero > most`)).toMatchObject({
        exitCode: 0,
        notice: "the room's 1 MiB are used up: what was written last may be cut off",
      })
      await run('head -c 5000000 /dev/zero > big')
      expect((await stat(join(full.files, 'big'))).size).toBe(1024 * 1024 - mostBytes)
      expect((await run('echo more > more')).notice).toMatch(/^the workspace is full: no file can grow/)
      expect(await readFile(join(full.files, 'more'), 'utf8')).toBe('')
      expect((await run('rm most big more')).exitCode).toBe(0)
      expect(await run('echo more > more')).toMatchObject({ exitCode: 0, output: '' })
    })

    it('all commands end when the server stops, and new ones are rejected', async () => {
      await using own = await openWorkspace({ mode })
      const word = mark()
      const run = own.workspace.run({ shell: `sleep ${word}` }, LIMITS, never)
      const ended = expect(run).rejects.toThrow('the server is stopping')
      await expect.poll(() => processesWith(word), WAIT).toBeGreaterThan(0)
      await own.workspaces[Symbol.asyncDispose]()
      await expect.poll(() => processesWith(word), WAIT).toBe(0)
      await ended
      const late = own.workspace.run({ shell: 'true' }, LIMITS, never)
      await expect(late).rejects.toThrow('the server is stopping')
    })
  })
})

it('the directory of a workspace is accessible only for its owner', async () => {
  await using room = await openWorkspace()
  expect((await execa('stat', ['-c', '%a', room.files])).stdout).toBe('700')
})

it('a workspace is refused for a room name that would be a path', async () => {
  await using room = await openWorkspace()
  for (const name of ['..', '../x', 'a/b', '', 'A', 'x'.repeat(33)]) {
    expect(() => room.workspaces.of(name)).toThrow(/not the name of a room/)
  }
})

describe.skipIf(!sandbox.works)('the sandbox', () => {
  it('a command in the sandbox cannot use the open files of the server', async () => {
    await using own = await openWorkspace({ mode: 'bubblewrap' })
    const library = new URL('../../../dist/index.js', import.meta.url).href
    const script = `
      const { openWorkspace } = await import(${JSON.stringify(library)})
      const workspace = openWorkspace(${JSON.stringify({ directory: own.files, backups: `${own.files}-old` })})
      const limits = { timeoutMs: 20000, outputLines: 100, outputBytes: 10000 }
      const spec = { shell: 'ls /proc/self/fd/200/ /proc/self/fd/60/' }
      console.log(JSON.stringify(await workspace.run(spec, limits, new AbortController().signal)))`
    const start =
      'exec 200</etc 60</etc; ls -d /proc/self/fd/200/passwd; exec "$0" --input-type=module -e "$1"'
    const { stdout } = await execa('bash', ['-c', start, process.execPath, script])
    const [there, outcome] = stdout.split('\n')
    expect(there).toBe('/proc/self/fd/200/passwd')
    expect(JSON.parse(outcome ?? '')).toMatchObject({
      exitCode: 2,
      output: expect.not.stringContaining('passwd') as string,
    })
  })

  let room: OneWorkspace
  beforeAll(async () => {
    room = await openWorkspace({ mode: 'bubblewrap' })
  })
  afterAll(() => room[Symbol.asyncDispose]())

  const shell = async (line: string, change: object = {}) =>
    (await room.workspace.run({ shell: line, ...change }, LIMITS, never)).output

  it('the sandbox shows nothing of the machine but its programs', async () => {
    await writeFile(join(room.root, 'secret'), 'x')
    expect(await shell(`cat ${join(room.root, 'secret')}`)).toContain('No such file')
    expect(await shell('ls /home /root /var /etc/passwd /etc/shadow 2>/dev/null; echo done')).toBe('done\n')
    expect(await shell(`ls ${process.cwd()}`)).toContain('No such file')
  })

  it('only the workspace and a private /tmp are writable in the sandbox', async () => {
    for (const place of [
      '/x',
      '/usr/x',
      '/etc/x',
      '/dev/x',
      '/proc/sys/kernel/hostname',
      '/proc/self/oom_score_adj',
    ]) {
      expect(await shell(`echo x > ${place} && echo WRITTEN`)).not.toContain('WRITTEN')
    }
    expect(await shell('echo x > /tmp/y && cat /tmp/y')).toBe('x\n')
    expect(await shell('ls -A /tmp')).toBe('')
  })

  it('the sandbox shows no process of the machine', async () => {
    const pids = (await shell('ls /proc')).split('\n').filter((name) => /^\d+$/.test(name))
    expect(pids.length).toBeLessThan(6)
    expect(await shell(`kill -0 ${process.pid} 2>/dev/null && echo SEEN`)).toBe('')
  })

  it('the sandbox has no capabilities and no network', async () => {
    expect(await shell('grep -E "^Cap" /proc/self/status')).toMatch(/^(Cap\w+:\s+0{16}\n){5}$/)
    const devices = await shell('cat /proc/net/dev')
    expect(devices.match(/^ *\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:'])
  })

  it('a read-only command in the sandbox cannot write to its workspace', async () => {
    expect(await shell('touch x', { readOnly: true })).toContain('Read-only file system')
  })

  it('a command in the sandbox cannot make a namespace', async () => {
    for (const line of ['unshare -U true', 'unshare -r true', 'bwrap --ro-bind / / true'])
      expect((await room.workspace.run({ shell: line }, LIMITS, never)).exitCode).toBe(1)
  })

  it('the sandbox opens Unix and internet sockets, but no netlink, packet or crypto sockets', async () => {
    const families = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16, AF_PACKET: 17, AF_ALG: 38 }
    const tries = Object.entries(families).map(
      ([name, number]) =>
        `socket(S,${number},${name === 'AF_ALG' ? 5 : name === 'AF_PACKET' ? 3 : 2},0) and print "${name} ";`,
    )
    expect(await shell(`perl -e '${tries.join(' ')}'`)).toBe('AF_UNIX AF_INET AF_INET6 ')
  })

  it("a command in the sandbox has the highest score for the kernel's out-of-memory killer", async () => {
    expect(await shell('cat /proc/self/oom_score_adj')).toBe('1000\n')
  })

  it('the sandbox does not show the files of one room to another', async () => {
    await shell('echo lobby > here')
    const other = await room.workspaces.of('other').run({ shell: 'ls -A' }, LIMITS, never)
    expect(other.output).toBe('')
  })
})

describe.skipIf(!sandbox.works)('a command in the sandbox', () => {
  const MIB = 1024 * 1024
  let room: OneWorkspace
  beforeAll(async () => {
    room = await openWorkspace({
      mode: 'bubblewrap',
      limits: { memoryBytes: 128 * MIB, diskBytes: 20 * MIB, files: 3000, processes: 60 },
    })
  })
  afterAll(() => room[Symbol.asyncDispose]())

  const run = (line: string) => room.workspace.run({ shell: line }, LIMITS, never)

  it('the memory limit of a command counts all its processes', async () => {
    const three = 'for i in 1 2 3; do perl -e \'$x = "a" x (60 << 20); sleep 60\' & done; wait'
    expect(await run(three)).toMatchObject({
      signal: 'SIGKILL',
      timedOut: false,
      notice: 'stopped: it took more than 128 MiB of memory',
    })
  })

  it('memory that processes of a command share counts once', async () => {
    const shared = 'perl -e \'$x = "a" x (60 << 20); fork; fork; sleep 1; print "."\'; wait'
    expect(await run(shared)).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^\.+$/) as string })
  })

  it('/tmp and /dev/shm of a command are limited to a part of its memory', async () => {
    const { output } = await run('df --output=size -k /tmp /dev/shm | tail -n 2')
    expect(output.trim().split(/\s+/)).toEqual([String(64 * 1024), String(16 * 1024)])
  })

  it('a command with too many processes is stopped with all of them, or cannot fork', async () => {
    const word = mark()
    const outcome = await run(`for i in $(seq 500); do sleep ${word} & done; wait`)
    expect([outcome.notice, outcome.output].join()).toMatch(/it had more than 60 processes|Cannot fork/)
    // A second after they were killed, nobody waits for them any more: a busy machine may take longer.
    await expect.poll(() => processesWith(word), WAIT).toBe(0)
  })

  it('a fork bomb never has more processes than the limit', async (context) => {
    if (!sandbox.works || !hasProcessLimit(sandbox.strength)) return context.skip(NO_PROCESS_LIMIT)
    const word = mark()
    const argv = ['perl', '-e', '$SIG{CHLD} = "IGNORE"; fork while 1', word]
    const over = new AbortController()
    const bomb = room.workspace.run({ argv }, { ...LIMITS, timeoutMs: 20_000 }, never)
    void bomb.finally(() => over.abort())
    let most = 0
    while (!over.signal.aborted) most = Math.max(most, await processesWith(word))
    expect(await bomb).toMatchObject({ signal: 'SIGKILL' })
    expect(most).toBeGreaterThan(1)
    // The shell and bubblewrap have the word in their command lines as well.
    expect(most).toBeLessThanOrEqual(60 + 3)
    await expect.poll(() => processesWith(word), WAIT).toBe(0)
    expect(await run('echo hi')).toMatchObject({ output: 'hi\n', exitCode: 0 })
  })

  it('a command that fills the disk with many files is stopped, and the room can delete them', async () => {
    const fill = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; done'
    expect((await run(fill)).notice).toBe(
      "stopped: the room's files came over 20 MiB or 3000 in number; delete what is not needed",
    )
    expect((await run('rm f*; ls')).output).toBe('')
  })

  describe('a command that makes empty files without end', () => {
    const STOPPED = "stopped: the room's files came over 20 MiB or 3000 in number; delete what is not needed"
    let own: OneWorkspace
    beforeEach(async () => {
      own = await openWorkspace({ mode: 'bubblewrap', limits: { diskBytes: 20 * MIB, files: 3000 } })
    })
    afterEach(() => own[Symbol.asyncDispose]())

    const runOwn = (line: string) => own.workspace.run({ shell: line }, LIMITS, never)
    const fill = (name: string) =>
      runOwn(`mkdir -p m; perl -e 'for (1..400000) { open F, ">", "m/${name}$_" }'`)

    it('a command with too many empty files is stopped, and the room can then only delete files', async () => {
      expect(await fill('a')).toMatchObject({ notice: STOPPED })
      await expect(own.workspace.changeText('new', () => 'x')).rejects.toThrow('3000 files are allowed')
      expect((await runOwn('rm m/a1 m/a2; echo gone')).output).toBe('gone\n')
      expect((await fill('b')).notice).toBe(STOPPED)
      await expect(runOwn('rm -r m')).rejects.toThrow('in 10m the next one may run, to delete them')
      expect((await own.workspace.run({ argv: ['ls'], readOnly: true }, LIMITS, never)).output).toBe('m\n')
      await rm(join(own.files, 'm'), { recursive: true })
      expect(await runOwn('touch one; rm one')).toMatchObject({ exitCode: 0, output: '' })
    })

    it('a command is stopped for too many empty files if there were many times the limit before', async () => {
      const names = Array.from({ length: 16_000 }, (_, n) => join(own.files, `old${n}`))
      for (const name of names) writeFileSync(name, '')
      expect((await fill('a')).notice).toBe(STOPPED)
      await expect(runOwn('rm -r m')).rejects.toThrow('in 10m the next one may run, to delete them')
    })
  })

  it('a command whose file reaches the disk limit gets a notice before its output', async () => {
    const outcome = await run('exec head -c 50000000 /dev/zero > big')
    // The kernel stops it, or the watch, whichever sees it first.
    expect(outcome.notice).toMatch(
      /^(a file grew past 20 MiB, which is what was left of|stopped: the room's files came over 20 MiB or)/,
    )
    expect((await run('rm big')).exitCode).toBe(0)
  })
})
