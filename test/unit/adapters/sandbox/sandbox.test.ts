import { access, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomInt } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeSandbox } from '../../../../src/adapters/sandbox/launch.ts'
import { createWorkspaces } from '../../../../src/adapters/sandbox/workspaces.ts'
import { paths } from '../../../../src/app/paths.ts'
import type { Workspace } from '../../../../src/tools/ports.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const sandbox = await probeSandbox()
if (!sandbox.works) console.warn(`SKIPPED: commands in the sandbox: ${sandbox.reason}`)

const limits = { timeoutMs: 20_000, outputLines: 2000, outputBytes: 256 * 1024 }
const never = new AbortController().signal

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sshawl-sandbox-'))
})
afterAll(() => rm(home, { recursive: true }))

/** Seconds to sleep, a number that is in the command line of one test's processes and of no other. */
const mark = (): string => `600.${randomInt(1e12)}`

/** How many processes there are with this word in their command line. */
async function processesWith(word: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(word)).length
}

describe.each([
  { mode: 'bubblewrap' as const, skip: !sandbox.works },
  { mode: 'none' as const, skip: false },
])('a command, mode $mode', ({ mode, skip }) => {
  let workspaces: ReturnType<typeof createWorkspaces>
  let workspace: Workspace
  let files: string
  beforeAll(async () => {
    const root = await mkdtemp(join(home, 'rooms-'))
    files = join(root, 'lobby', 'files')
    workspaces = createWorkspaces({ root, searchEntry: paths.fileSearch, mode, log: quiet })
    workspace = workspaces.of('lobby')
  })
  afterAll(() => workspaces[Symbol.asyncDispose]())

  const shell = (line: string, change: Partial<typeof limits> = {}) =>
    workspace.run({ shell: line }, { ...limits, ...change }, never)

  describe.skipIf(skip)('', () => {
    it('runs in the workspace and tells its output, both kinds in order, and its exit code', async () => {
      const outcome = await shell('echo one; echo two >&2; echo three; echo hello > file; exit 7')
      expect(outcome).toEqual({ output: 'one\ntwo\nthree\n', exitCode: 7, timedOut: false })
      expect(await readFile(join(files, 'file'), 'utf8')).toBe('hello\n')
    })

    it('has no input, and an environment of four words', async () => {
      expect((await shell('cat; echo $?')).output).toBe('0\n')
      const names = (await shell('env')).output.split('\n').map((line) => line.split('=')[0])
      expect(new Set(names)).toEqual(new Set(['HOME', 'LANG', 'PATH', 'PWD', '']))
    })

    it('starts in the directory asked for, and in no other', async () => {
      await mkdir(join(files, 'sub'), { recursive: true })
      expect((await workspace.run({ shell: 'pwd', cwd: 'sub' }, limits, never)).output).toMatch(/\/sub\n$/)
      for (const cwd of ['..', '/etc', 'sub/../..']) {
        await expect(workspace.run({ shell: 'pwd', cwd }, limits, never)).rejects.toThrow(
          /outside the workspace/,
        )
      }
      await expect(workspace.run({ shell: 'pwd', cwd: 'none' }, limits, never)).rejects.toThrow(
        /not a directory/,
      )
    })

    it('tells when a program does not exist', async () => {
      const outcome = await workspace.run({ argv: ['no-such-program'] }, limits, never)
      expect(outcome).toMatchObject({ exitCode: 127, output: expect.stringContaining('not found') as string })
    })

    it('is refused when it cannot be started at all', async () => {
      await expect(workspace.run({ argv: ['echo', 'a\0b'] }, limits, never)).rejects.toThrow(/NUL/)
      await expect(workspace.run({ argv: ['echo', 'x'.repeat(131_072)] }, limits, never)).rejects.toThrow(
        /131071 bytes/,
      )
      const many = Array.from({ length: 60 }, () => 'x'.repeat(130_000))
      await expect(workspace.run({ argv: ['echo', ...many] }, limits, never)).rejects.toThrow(
        /could not be started/,
      )
    })

    it.each([
      ['sleeps', 'sleep SECONDS; true'],
      ['ignores SIGTERM', 'trap "" TERM HUP INT; while :; do sleep SECONDS; done'],
      ['makes fifty children', 'for i in $(seq 50); do sleep SECONDS & done; wait'],
      ['stops itself', 'sleep SECONDS & kill -STOP $$'],
    ])('that %s is killed with all its children at the time limit', async (_, line) => {
      const word = mark()
      const outcome = await shell(line.replace('SECONDS', word), { timeoutMs: 600 })
      expect(outcome).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
      expect(outcome.output).toContain('[stopped: it ran longer than 600ms]')
      expect(await processesWith(word)).toBe(0)
    })

    it('that leaves children behind, holding the pipe, ends with them', async () => {
      const word = mark()
      const outcome = await shell(`sleep ${word} & echo started`)
      expect(outcome).toEqual({ output: 'started\n', exitCode: 0, timedOut: false })
      expect(await processesWith(word)).toBe(0)
    })

    it('that never stops writing is stopped, and little of it is kept', async () => {
      const outcome = await shell('yes')
      expect(outcome.signal).toBe('SIGKILL')
      expect(outcome.output.split('\n').length).toBeLessThan(2010)
      expect(outcome.output).toMatch(/left out: at most 2000 lines/)
      expect(outcome.output).toMatch(/\[stopped: it wrote more than 64 MiB\]/)
    })

    it('that writes one endless line has the beginning of it kept, and its exit code told', async () => {
      const outcome = await shell("head -c 50000000 /dev/zero | tr '\\0' x; exit 3")
      expect(outcome.exitCode).toBe(3)
      expect(outcome.output).toMatch(/^x{262144}\n… \[47 MiB left out/)
    })

    it('that writes what is not UTF-8, or is cut inside a character, still gives text', async () => {
      expect((await shell("printf 'a\\377b'")).output).toBe('a\uFFFDb')
      const outcome = await shell("printf 'ééééé'", { outputBytes: 5 })
      expect(outcome.output).toBe('éé\n… [5 B left out: at most 2000 lines and 5 B are kept]\n')
    })

    it('ends when its turn is cancelled, and does not begin when it was', async () => {
      const word = mark()
      const stop = new AbortController()
      const run = workspace.run({ shell: `touch begun; sleep ${word}` }, limits, stop.signal)
      await expect
        .poll(
          () =>
            access(join(files, 'begun')).then(
              () => true,
              () => false,
            ),
          { timeout: 10_000 },
        )
        .toBe(true)
      stop.abort(new Error('stopped by alice'))
      await expect(run).rejects.toThrow('stopped by alice')
      expect(await processesWith(word)).toBe(0)
      await expect(workspace.run({ shell: 'touch again' }, limits, stop.signal)).rejects.toThrow(
        'stopped by alice',
      )
      expect(await readdir(files)).not.toContain('again')
    })

    it('gets exactly the strings of its argv', async () => {
      const show = 'printf "%s\\0" "$@"'
      const text = fc
        .string({ unit: 'grapheme-composite', maxLength: 40 })
        .filter((each) => !each.includes('\0'))
      await fc.assert(
        fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), async (args) => {
          const { output } = await workspace.run({ argv: ['sh', '-c', show, 'sh', ...args] }, limits, never)
          expect(output.split('\0').slice(0, -1)).toEqual(args)
        }),
        { numRuns: 40 },
      )
    })

    it('fills no more of the disk than its room may have, and can still delete', async () => {
      const root = await mkdtemp(join(home, 'full-'))
      const own = { diskBytes: 1024 * 1024 }
      await using small = createWorkspaces({
        root,
        searchEntry: paths.fileSearch,
        mode,
        limits: own,
        log: quiet,
      })
      const run = (line: string) => small.of('lobby').run({ shell: line }, limits, never)
      await run('head -c 5000000 /dev/zero > big; :')
      expect((await stat(join(root, 'lobby', 'files', 'big'))).size).toBe(1024 * 1024)
      expect((await run('echo more > more')).output).toMatch(/\[the workspace is full: no file can grow/)
      expect(await readFile(join(root, 'lobby', 'files', 'more'), 'utf8')).toBe('')
      expect((await run('rm big more')).exitCode).toBe(0)
      expect(await run('echo more > more')).toMatchObject({ exitCode: 0, output: '' })
    })

    it('is gone when the server has stopped, and none begins after', async () => {
      const own = createWorkspaces({
        root: await mkdtemp(join(home, 'own-')),
        searchEntry: paths.fileSearch,
        mode,
        log: quiet,
      })
      const word = mark()
      const run = own.of('lobby').run({ shell: `sleep ${word}` }, limits, never)
      const ended = expect(run).rejects.toThrow('the server is stopping')
      await expect.poll(() => processesWith(word), { timeout: 10_000 }).toBeGreaterThan(0)
      await own[Symbol.asyncDispose]()
      expect(await processesWith(word)).toBe(0)
      await ended
      await expect(own.of('lobby').run({ shell: 'true' }, limits, never)).rejects.toThrow(
        'the server is stopping',
      )
    })
  })
})

describe.skipIf(!sandbox.works)('the sandbox', () => {
  let workspaces: ReturnType<typeof createWorkspaces>
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(home, 'rooms-'))
    workspaces = createWorkspaces({ root, searchEntry: paths.fileSearch, mode: 'bubblewrap', log: quiet })
  })
  afterAll(() => workspaces[Symbol.asyncDispose]())

  const shell = async (line: string, change: object = {}) =>
    (await workspaces.of('lobby').run({ shell: line, ...change }, limits, never)).output

  it('shows nothing of the machine but its programs', async () => {
    await writeFile(join(root, 'secret'), 'x')
    expect(await shell(`cat ${join(root, 'secret')}`)).toContain('No such file')
    expect(await shell('ls /home /root /var /etc/passwd /etc/shadow 2>/dev/null; echo done')).toBe('done\n')
    expect(await shell(`ls ${process.cwd()}`)).toContain('No such file')
  })

  it('lets only the workspace and its own /tmp be written', async () => {
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

  it('shows no process of the machine', async () => {
    const pids = (await shell('ls /proc')).split('\n').filter((name) => /^\d+$/.test(name))
    expect(pids.length).toBeLessThan(6)
    expect(await shell(`kill -0 ${process.pid} 2>/dev/null && echo SEEN`)).toBe('')
  })

  it('has no capabilities and no network', async () => {
    expect(await shell('grep -E "^Cap(Eff|Bnd|Prm)" /proc/self/status')).toMatch(/^(Cap\w+:\s+0{16}\n){3}$/)
    const devices = await shell('cat /proc/net/dev')
    expect(devices.match(/^ *\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:'])
  })

  it('cannot write its workspace where it may only read', async () => {
    expect(await shell('touch x', { readOnly: true })).toContain('Read-only file system')
  })

  it('keeps rooms apart', async () => {
    await shell('echo lobby > here')
    const other = await workspaces.of('other').run({ shell: 'ls -A' }, limits, never)
    expect(other.output).toBe('')
  })

  it('refuses a room whose name would be a path', () => {
    for (const name of ['..', '../x', 'a/b', '', 'A', 'x'.repeat(33)]) {
      expect(() => workspaces.of(name)).toThrow(/not the name of a room/)
    }
  })
})
