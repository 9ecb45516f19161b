import { randomInt } from 'node:crypto'
import { access, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeadlineError } from '../../../src/base/jobs/deadline.ts'
import type { ProcessSpec } from '../../../src/tools/workspace.ts'
import type { Examined } from './examinee.ts'
import { runs } from '../../support/runs.ts'

const LIMITS = { timeoutMs: 20_000, outputLines: 2000, outputBytes: 256 * 1024 }
const never = new AbortController().signal

/** Seconds to sleep, a number that is in the command line of one test's processes and of no other. */
export const mark = (): string => `600.${randomInt(1e12)}`

/** How many processes there are with this word in their command line. */
export async function processesWith(word: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(word)).length
}

/** What running processes in a workspace must do: `run`. */
export function runExam(examined: Examined): void {
  const run = (spec: ProcessSpec, change: Partial<typeof LIMITS> = {}, signal = never) =>
    examined().workspace.run(spec, { ...LIMITS, ...change }, signal)
  const shell = (line: string, change: Partial<typeof LIMITS> = {}) => run({ shell: line }, change)
  const at = (path: string): string => join(examined().files, path)

  it('a command runs in the workspace and returns its output in order with its exit code', async () => {
    const outcome = await shell('echo one; echo two >&2; echo three; echo hello > file; exit 7')
    expect(outcome).toEqual({ output: 'one\ntwo\nthree\n', exitCode: 7, timedOut: false })
    expect(await readFile(at('file'), 'utf8')).toBe('hello\n')
  })

  it('a command has no input and only five environment variables', async () => {
    expect((await shell('cat; echo $?')).output).toBe('0\n')
    const names = (await shell('env')).output.split('\n').map((line) => line.split('=')[0])
    expect(new Set(names)).toEqual(new Set(['HOME', 'LANG', 'PATH', 'PWD', 'QUOTING_STYLE', '']))
  })

  it('a command starts in its cwd, which must be inside the workspace', async () => {
    await mkdir(at('sub'))
    expect((await run({ shell: 'pwd', cwd: 'sub' })).output).toMatch(/\/sub\n$/)
    for (const cwd of ['..', '/etc', 'sub/../..'])
      await expect(run({ shell: 'pwd', cwd })).rejects.toThrow(/outside the workspace/)
    await expect(run({ shell: 'pwd', cwd: 'none' })).rejects.toThrow(/not a directory/)
  })

  it('a command with an unknown program exits with code 127', async () => {
    const outcome = await run({ argv: ['no-such-program'] })
    expect(outcome).toMatchObject({ exitCode: 127, output: expect.stringContaining('not found') as string })
  })

  it('a command that cannot be started is refused', async () => {
    await expect(run({ argv: ['echo', 'a\0b'] })).rejects.toThrow(/NUL/)
    await expect(run({ argv: ['echo', 'x'.repeat(131_072)] })).rejects.toThrow(/131071 bytes/)
    const many = Array.from({ length: 60 }, () => 'x'.repeat(130_000))
    await expect(run({ argv: ['echo', ...many] })).rejects.toThrow(/could not be started/)
  })

  it.each([
    ['sleeps', 'sleep SECONDS; true'],
    ['ignores SIGTERM', 'trap "" TERM HUP INT; while :; do sleep SECONDS; done'],
    ['makes fifty children', 'for i in $(seq 50); do sleep SECONDS & done; wait'],
    ['stops itself', 'sleep SECONDS & kill -STOP $$'],
  ])('a command that %s is killed with all its children at the time limit', async (_, line) => {
    const word = mark()
    const outcome = await shell(line.replace('SECONDS', word), { timeoutMs: 600 })
    expect(outcome).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
    expect(outcome.notice).toBe('stopped: it ran longer than 600ms')
    expect(await processesWith(word)).toBe(0)
  })

  it('a command that leaves children behind ends together with them', async () => {
    const word = mark()
    const outcome = await shell(`sleep ${word} & echo started`)
    expect(outcome).toEqual({ output: 'started\n', exitCode: 0, timedOut: false })
    expect(await processesWith(word)).toBe(0)
  })

  it('a command that never stops writing is stopped, and its output is truncated', async () => {
    const outcome = await shell('yes')
    expect(outcome.signal).toBe('SIGKILL')
    expect(outcome.output.split('\n').length).toBeLessThan(2010)
    expect(outcome.output).toMatch(/left out: at most 2000 lines/)
    expect(outcome.notice).toBe('stopped: it wrote more than 64 MiB')
  })

  it('a command with one endless line keeps its beginning and its exit code', async () => {
    const outcome = await shell("head -c 50000000 /dev/zero | tr '\\0' x; exit 3")
    expect(outcome.exitCode).toBe(3)
    expect(outcome.output).toMatch(/^x{262144}\n… \[47 MiB left out/)
  })

  it('a command with invalid or truncated UTF-8 output still gives text', async () => {
    expect((await shell("printf 'a\\377b'")).output).toBe('a\uFFFDb')
    const outcome = await shell("printf 'ééééé'", { outputBytes: 5 })
    expect(outcome.output).toBe('éé\n… [5 B left out: at most 2000 lines and 5 B are kept]\n')
  })

  it('a command ends when its turn is cancelled, and does not start after that', async () => {
    const word = mark()
    const stop = new AbortController()
    const running = run({ shell: `touch begun; sleep ${word}` }, {}, stop.signal)
    const begun = (): Promise<boolean> =>
      access(at('begun')).then(
        () => true,
        () => false,
      )
    await expect.poll(begun, { timeout: 10_000 }).toBe(true)
    stop.abort(new Error('stopped by alice'))
    await expect(running).rejects.toThrow('stopped by alice')
    expect(await processesWith(word)).toBe(0)
    await expect(run({ shell: 'touch again' }, {}, stop.signal)).rejects.toThrow('stopped by alice')
    expect(await readdir(examined().files)).not.toContain('again')
  })

  it('a command that is ended by the deadline of its turn returns its output', async () => {
    const stop = new AbortController()
    const running = run({ shell: 'echo begun; : > told; sleep 60' }, {}, stop.signal)
    await expect.poll(() => readdir(examined().files), { timeout: 10_000 }).toContain('told')
    stop.abort(new DeadlineError('no end after 20000 ms'))
    expect(await running).toEqual({
      output: 'begun\n',
      signal: 'SIGKILL',
      timedOut: true,
      notice: 'stopped: it ran longer than 20s',
    })
  })

  it('a command that takes too much memory fails with a notice or an error about memory', async () => {
    const { exitCode, output, notice = '' } = await shell('head -c 800M /dev/zero | tail')
    expect(exitCode).not.toBe(0)
    expect(output + notice).toMatch(/memory exhausted|cannot allocate|it took more than \d+ MiB of memory/i)
  })

  it('a program gets exactly the strings of its argv', async () => {
    const show = 'printf "%s\\0" "$@"'
    const text = fc
      .string({ unit: 'grapheme-composite', maxLength: 40 })
      .filter((each) => !each.includes('\0'))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), async (args) => {
        const { output } = await run({ argv: ['sh', '-c', show, 'sh', ...args] })
        expect(output.split('\0').slice(0, -1)).toEqual(args)
      }),
      { numRuns: runs(20) },
    )
  })
}
