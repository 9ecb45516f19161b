import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { createStage, type Stage } from './server.ts'

/** What an attack did to everybody else. */
export interface Damage {
  /** ms that 99 of 100 echoes took at most, before and during the attack. */
  readonly quiet: number
  readonly during: number
  /** The same, during the attack, on a server that is not attacked: how busy the machine is with other work. */
  readonly elsewhere: number
  /** The server's resident memory at its highest during the attack, in MiB. */
  readonly peakMb: number
  /** What SIGTERM did while the attackers were there: the exit status, and the ms that it took. */
  readonly exitCode: number | null
  readonly stopMs: number
}

/** For how long echoes are measured at least. */
const MEASURED_MS = 500

/**
 * Starts the built server, in a process of its own and with a heap of 512 MB, and measures what somebody in a session
 * notices of an attack. `attack` is called once, resolves when the attack is over and returns what must be closed after
 * it. `prepare` comes before all that is measured.
 */
export async function damageOf(
  attack: (stage: Stage) => Promise<readonly Disposable[]>,
  options: { readonly config?: string; readonly prepare?: (stage: Stage) => Promise<void> } = {},
): Promise<Damage> {
  const { prepare, ...server } = options
  const env = { NODE_OPTIONS: '--max-old-space-size=512' }
  await using stage = await createStage({ ...server, env })
  await using other = await createStage({ env })
  await prepare?.(stage)
  await using probe = await startProbe(stage)
  await using otherProbe = await startProbe(other)
  await sleep(MEASURED_MS)
  const quiet = percentile99(await probe.take())
  await otherProbe.take()
  const memory = watchMemory(stage.server.process.pid)
  const [attackers] = await Promise.all([attack(stage), sleep(MEASURED_MS)])
  const during = percentile99(await probe.take())
  const elsewhere = percentile99(await otherProbe.take())
  const peakMb = await memory.stop()
  const start = performance.now()
  const exitCode = await stage.server.stop('SIGTERM')
  const stopMs = performance.now() - start
  for (const one of attackers) one[Symbol.dispose]()
  return { quiet, during, elsewhere, peakMb, exitCode, stopMs }
}

/**
 * Nobody waits noticeably longer than before, or than on a server that is left alone; the memory stays below `maxMb`, and
 * the server stops when it is told to.
 */
export function expectUnharmed(damage: Damage, maxMb = 450): void {
  const usual = Math.max(damage.quiet, damage.elsewhere)
  expect(damage.during, JSON.stringify(damage)).toBeLessThan(Math.max(250, 3 * usual))
  expect(damage.peakMb, JSON.stringify(damage)).toBeLessThan(maxMb)
  expect(damage.exitCode).toBe(0)
  expect(damage.stopMs).toBeLessThan(5_000)
}

const PROBE = new URL('echo-probe.mjs', import.meta.url).pathname

/** Somebody else, who types. `take` gives the ms that echoes took since it was called last. */
async function startProbe(stage: Stage): Promise<AsyncDisposable & { take(): Promise<readonly number[]> }> {
  const args = [PROBE, String(stage.server.port), 'probe', await stage.home.key('probe')]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the probe was thrown out')
    return value
  }
  await nextLine()
  return {
    async take() {
      child.stdin.write('\n')
      return JSON.parse(await nextLine()) as readonly number[]
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const percentile99 = (samples: readonly number[]): number =>
  samples.toSorted((a, b) => a - b)[Math.floor(samples.length * 0.99)] ?? Infinity

const LOOK_EVERY_MS = 50

/** Looks at a process's memory until `stop`, which gives the most that it had, in MiB. */
function watchMemory(pid: number | undefined): { stop(): Promise<number> } {
  let peak = 0
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await look()
      return peak
    },
  }
}
