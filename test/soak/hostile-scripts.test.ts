import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { median } from '../bench/measure.ts'
import { hostileScripts, type HostileScript } from '../support/hostile-scripts.ts'
import { createStage, type Stage } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'
import { lacks, missing } from '../support/needs.ts'
import { residentKiB } from '../support/load/process-figures.ts'
import { traceCalls } from '../support/system-calls.ts'
import { wrapProcesses } from '../support/wrap-processes.ts'

const canary = 'canary-in-the-environment'
const honest = 'function default_wrap(t) return wrap(t):system():history() end'
const config = `
[limits]
rate_burst = 100000
rate_per_s = 100000
`

/** Gives each to the server by ssh, from two rooms at once; what it answered, script by script. */
async function runAll(stage: Stage, scripts: readonly HostileScript[]): Promise<readonly string[]> {
  const left = [...scripts]
  const answers: string[] = []
  const work = async (who: string): Promise<void> => {
    for (let script = left.shift(); script; script = left.shift()) {
      const { stdout, stderr } = await stage.as(who, ['script', who, 'check'], { input: script.source })
      answers.push(`${script.title}: ${stdout}${stderr}`)
    }
  }
  await Promise.all(['north', 'south'].map(work))
  return answers
}

/** Between two lines: the chat itself must not be what is measured. */
const pauseMs = 50

/** How long a line takes from one person's terminal to another's, in milliseconds. */
async function chat(from: SshSession, to: SshSession, until: () => boolean): Promise<readonly number[]> {
  const times: number[] = []
  for (let number = 0; !until(); number += 1) {
    const line = `line ${number} of ${performance.now()}`
    const seen = to.output().length
    const startedAt = performance.now()
    from.write(`${line}\n`)
    await to.waitFor(line, seen)
    times.push(performance.now() - startedAt)
    await pause(pauseMs)
  }
  return times
}

const memoryOf = async (pid: number): Promise<number> => (await residentKiB(pid)) / 1024

/** As `memoryOf`, once unused memory was given back; the garbage collector takes its time when there is little to do. */
async function settledMemory(pid: number, before: number): Promise<number> {
  for (let tries = 0; tries < 60; tries += 1) {
    if ((await memoryOf(pid)) <= before * 1.1) break
    await pause(1000)
  }
  return await memoryOf(pid)
}

test('hostile scripts are all answered without slowing the chat, reaching files or using memory', async () => {
  const scripts = hostileScripts()
  await using stage = await createStage({ config, env: { CANARY: canary }, isShared: true })
  const pid = stage.server.process.pid!
  for (const room of ['north', 'south']) await stage.as(room, ['create', room])
  await using alice = await stage.open('alice', '-T')
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor('lobby')
  await alice.waitFor('bob joined')

  // What as many honest scripts cost is not what hostile ones do.
  await runAll(
    stage,
    scripts.map((script) => ({ ...script, source: honest })),
  )
  const trace = join(stage.dir, 'trace')
  await using _tracer = lacks('strace')
    ? undefined
    : await traceCalls([pid, ...(await wrapProcesses(pid))], trace)
  let left = 100
  const calm = await chat(alice, bob, () => (left -= 1) < 0)
  const before = await memoryOf(pid)

  let isOver = false
  const running = runAll(stage, scripts).finally(() => (isOver = true))
  const storm = await chat(alice, bob, () => isOver)
  const answers = await running
  const after = await settledMemory(pid, before)

  const ratio = median(storm) / median(calm)
  console.log(
    `${scripts.length} scripts; a line takes ${median(calm).toFixed(1)} ms in peace, ${median(storm).toFixed(1)} ms among them (${ratio.toFixed(2)} times, ${storm.length} lines); ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`,
  )
  expect(answers).toHaveLength(scripts.length)
  for (const script of scripts.filter(({ outcome }) => outcome !== 'harmless'))
    expect(answers.find((answer) => answer.startsWith(`${script.title}: `))).not.toContain('composes')
  for (const answer of answers) {
    expect(answer).not.toMatch(/^\S+ \n?$/)
    expect(answer).not.toContain(canary)
    expect(answer).not.toContain('root:x:')
    expect(answer).not.toContain('went wrong on the server')
  }
  expect((await readdir(stage.dir, { recursive: true })).filter((name) => name.includes('pwned'))).toEqual([])
  expect(ratio).toBeLessThanOrEqual(2)
  expect(after).toBeLessThanOrEqual(before * 1.1)
  if (lacks('strace')) return console.warn(`the calls were not watched: ${missing.join('; ')}`)
  const reached = callsWhileComposing(await readFile(trace, 'utf8'))
  console.log(
    `${reached.processes} wrap processes watched; their calls while composing: ${reached.calls.join(', ')}`,
  )
  expect(reached.processes).toBeGreaterThanOrEqual(2)
  expect(reached.calls).toEqual(['write'])
})

/** Node asks what its own standard input is when it is first read, which is after the process is ready. */
const ownInput = / getsock(name|opt)\(0, /

/** What the wrap processes asked the system for, after each had said that it is ready. */
function callsWhileComposing(trace: string): {
  readonly processes: number
  readonly calls: readonly string[]
} {
  const ready = new Set<string>()
  const calls = new Set<string>()
  const threads = new Map<string, string>()
  const wrapping = new Set<string>()
  for (const line of trace.split('\n')) {
    const [, thread, call, rest] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? []
    if (thread === undefined) continue
    const owner = threads.get(thread) ?? thread
    if (/^(clone3?|v?fork)$/.test(call!) && rest!.includes('CLONE_THREAD')) {
      const started = / = (\d+)$/.exec(rest!)?.[1]
      if (started) threads.set(started, owner)
    }
    if (call === 'write' && rest!.startsWith('1, "{\\"kind\\":\\"')) wrapping.add(owner)
    if (ready.has(owner) && !ownInput.test(line)) calls.add(call!)
    if (wrapping.has(owner)) ready.add(owner)
  }
  return { processes: ready.size, calls: [...calls].toSorted() }
}
