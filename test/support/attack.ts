import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { residentKiB } from './load/process-figures.ts'
import { createStage, type Stage } from './stage.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly attacks: 'quick' | 'long'
  }
}

/** How much of something there is in an attack: where somebody runs its file alone, and in `npm run attacks`. */
export const howMuch = (amount: { readonly quick: number; readonly long: number }): number =>
  amount[inject('attacks')]

/**
 * A bound on how long somebody waited. It holds on a machine that does nothing else: in `npm run attacks`.
 */
export function expectWithin(ms: number, boundMs: number, message?: string): void {
  if (inject('attacks') === 'long') expect(ms, message).toBeLessThan(boundMs)
}

export interface Damage {
  /** ms that 99 of 100 echoes took at most, before and during the attack. */
  readonly quiet: number
  readonly during: number
  /** The same, during the attack, on a server that is not attacked: how busy the machine is with other work. */
  readonly elsewhere: number
  /** The server's resident memory at its highest during the attack, in MiB. */
  readonly peakMb: number
  /** How much more that is than before the attack, in MiB. */
  readonly grownMb: number
}

/** A server that is attacked, once or several times, in a process of its own and with a heap of 512 MB. */
export type Arena = Awaited<ReturnType<typeof openArena>>

/** Somebody in a session, who types. */
interface Probe extends AsyncDisposable {
  /** The ms that echoes took since this was called last. */
  take(): Promise<readonly number[]>
}

const MEASURED_MS = 500

/** Stages lift the pace of an address for tests of other things; it is the default of the server's config. */
const USUAL_PACE = '[limits]\naddress_burst = 40\n'

const HEAP = { NODE_OPTIONS: '--max-old-space-size=512' }

/** Starts the server that is to be attacked. `prepare` comes before all that is measured. */
export async function openArena(options: ProbedOptions = {}) {
  const probe = await openProbed(options)
  const { stage } = probe
  const { process } = stage.server
  const attackers: Disposable[] = []
  return {
    /**
     * Measures what somebody in a session notices of an attack. `attack` is called once, resolves when the attack is over
     * and returns the attackers, who stay until the server is stopped.
     */
    async damageOf(twin: Probe, attack: (stage: Stage) => Promise<readonly Disposable[]>): Promise<Damage> {
      await Promise.all([probe.take(), twin.take()])
      await sleep(MEASURED_MS)
      const quiet = percentile99(await probe.take())
      await twin.take()
      const memory = await watchMemory(process.pid)
      const [more] = await Promise.all([attack(stage), sleep(MEASURED_MS)])
      attackers.push(...more)
      const during = percentile99(await probe.take())
      const elsewhere = percentile99(await twin.take())
      return { quiet, during, elsewhere, ...(await memory.stop()) }
    },
    /** What SIGTERM does while all attackers are there: the exit status, and the ms that it takes. */
    async stop(): Promise<{ readonly exitCode: number | null; readonly ms: number }> {
      const start = performance.now()
      return { exitCode: await stage.server.stop('SIGTERM'), ms: performance.now() - start }
    },
    async [Symbol.asyncDispose]() {
      for (const one of attackers) one[Symbol.dispose]()
      await probe[Symbol.asyncDispose]()
    },
  }
}

/** Somebody who types on a server that is left alone, beside all tests of a file. To be called once. */
export function shareTwin(): () => Probe {
  let twin: Probe
  beforeAll(async () => {
    twin = await openProbed({})
  })
  afterAll(() => twin[Symbol.asyncDispose]())
  return () => twin
}

/** One server that several tests attack, one after another; all attackers stay. To be called once in a describe. */
export function shareArena(twin: () => Probe, options: ProbedOptions = {}) {
  let arena: Arena
  beforeAll(async () => {
    arena = await openArena(options)
  })
  afterAll(() => arena[Symbol.asyncDispose]())
  return {
    damageOf: (attack: (stage: Stage) => Promise<readonly Disposable[]>) => arena.damageOf(twin(), attack),
    stop: () => arena.stop(),
  }
}

/**
 * The memory stays below `maxMb`; in the long form nobody waits noticeably longer than before, or than on a
 * server that is left alone.
 */
export function expectUnharmed(damage: Damage, maxMb = 450): void {
  const usual = Math.max(damage.quiet, damage.elsewhere)
  expectWithin(damage.during, Math.max(250, 3 * usual), JSON.stringify(damage))
  expect(damage.peakMb, JSON.stringify(damage)).toBeLessThan(maxMb)
}

/** The server stops when it is told to, although the attackers are still there. */
export async function expectStops(arena: Pick<Arena, 'stop'>): Promise<void> {
  const { exitCode, ms } = await arena.stop()
  expect(exitCode).toBe(0)
  expectWithin(ms, 5_000)
}

interface ProbedOptions {
  readonly config?: string
  readonly http?: boolean
  readonly prepare?: (stage: Stage) => Promise<void>
}

/** A server with somebody in a session of it. */
async function openProbed({
  config,
  prepare,
  http = false,
}: ProbedOptions): Promise<Probe & { readonly stage: Stage }> {
  const stage = await createStage({ config: config ?? USUAL_PACE, env: HEAP, http })
  try {
    await prepare?.(stage)
    const probe = await startProbe(stage)
    return {
      stage,
      take: probe.take,
      async [Symbol.asyncDispose]() {
        await probe[Symbol.asyncDispose]()
        await stage[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await stage[Symbol.asyncDispose]()
    throw error
  }
}

const PROBE = new URL('echo-probe.mjs', import.meta.url).pathname

/** Lets somebody else in, who types. */
async function startProbe(stage: Stage): Promise<Probe> {
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
async function watchMemory(pid = 0) {
  let peak = 0
  const look = async (): Promise<void> => {
    peak = Math.max(peak, (await residentKiB(pid).catch(() => 0)) / 1024 || 0)
  }
  await look()
  const before = peak
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  return {
    async stop(): Promise<Pick<Damage, 'peakMb' | 'grownMb'>> {
      clearInterval(timer)
      await look()
      return { peakMb: peak, grownMb: peak - before }
    },
  }
}
