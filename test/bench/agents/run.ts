/**
 * agents/: many agents over `mcp serve` in one room. How soon does each hear what another says, and what does one cost?
 *
 *     npm run bench -- agents                                        # 100 agents for a minute, 20 lines a second
 *     npm run bench -- agents --agents 10 --rate 20 --seconds 10
 *
 * Each agent has a key and a connection of its own, all in this process, and the built server is another one. They speak in
 * turns; a line is a marker that says when it was sent, and each agent hears those of all, its own too. It exits 1 if a
 * line is lost. This folder must not know how a server tells agents what is said, but for the words of the protocol.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { withCleanup, type Cleanup } from '../../support/load/cleanup.ts'
import { keyOf } from '../../support/load/keys.ts'
import { cpuMs, residentKiB } from '../../support/load/process-figures.ts'
import { createTokenReader, nowUs, tokenText } from '../../support/load/tokens.ts'
import { startSshawl } from '../fan-out/contenders.ts'
import { quantile } from '../fan-out/figures.ts'
import { report, tableOf } from '../measure.ts'
import { readOptions } from '../options.ts'
import { openAgentClient, type AgentClient } from './agent-client.ts'

/** `rate`: lines a second in all. */
const DEFAULTS = { agents: 100, rate: 20, seconds: 60 }

type Measured = Awaited<ReturnType<typeof startSshawl>>

interface Heard {
  readonly latencies: number[]
  bytes: number
}

/** No agent has heard anything for so long: nothing more comes. */
const QUIET_MS = 4_000

/** Measures, prints, and resolves to the exit status. */
export async function runAgents(args: readonly string[]): Promise<number> {
  const options = readOptions(args, DEFAULTS)
  return await withCleanup((cleanup) => measure(options, cleanup))
}

async function measure({ agents: count, rate, seconds }: typeof DEFAULTS, cleanup: Cleanup): Promise<number> {
  const server = await cleanup.add(startSshawl())
  const heard: Heard = { latencies: [], bytes: 0 }
  await warmUp(server, heard)
  const before = await memoryOf(server)
  const agents: AgentClient[] = []
  for (let number = 0; number < count; number++)
    agents.push(await cleanup.add(join(server.port, `agent${number}`, heard)))
  await quiet(heard)
  const idle = await memoryOf(server)
  const lines = rate * seconds
  Object.assign(heard, { latencies: [], bytes: 0 })
  const cpuBefore = await cpuMs(server.pid)
  await talk(agents, lines, rate)
  await quiet(heard)
  const cpu = (await cpuMs(server.pid)) - cpuBefore
  const expected = lines * count
  const latencies = Float32Array.from(heard.latencies).toSorted()
  const after = await memoryOf(server)
  const figures = {
    lost: String(expected - latencies.length),
    'p50 ms': quantile(latencies, 0.5),
    'p99 ms': quantile(latencies, 0.99),
    'CPU ms/1,000': (cpu * 1_000) / expected,
    'bytes/delivery': heard.bytes / expected,
    'KiB an agent': (idle.liveKiB - before.liveKiB) / count,
    'after talk': (after.liveKiB - before.liveKiB) / count,
    'resident KiB': (after.residentKiB - before.residentKiB) / count,
  }
  report(`${count} agents, ${rate} lines/s for ${seconds} s`, tableOf([figures]))
  return latencies.length === expected ? 0 : 1
}

/** Resident, and what is live after a garbage collection: the heap and the buffers. */
async function memoryOf({ pid, probe }: Measured) {
  const { heapUsed, external } = (await probe.figures()).memory
  return { liveKiB: (heapUsed + external) / 1_024, residentKiB: await residentKiB(pid) }
}

/** The first agents load what all others share. */
async function warmUp(server: Measured, heard: Heard): Promise<void> {
  for (let number = 0; number < 8; number++) {
    const agent = await join(server.port, `early${number}`, heard)
    await agent.call('say', { room: 'lobby', text: 'hello' })
    await agent[Symbol.asyncDispose]()
  }
  await quiet(heard)
}

async function join(port: number, name: string, heard: Heard): Promise<AgentClient> {
  const read = createTokenReader()
  const agent = await openAgentClient({ port, name, key: keyOf(name) }, (line) => {
    heard.bytes += line.length
    for (const { sentUs } of read(Buffer.from(line))) heard.latencies.push((nowUs() - sentUs) / 1_000)
  })
  await agent.call('join', { room: 'lobby' })
  return agent
}

/** Each line when it is due; the answers are waited for at the end. */
async function talk(agents: readonly AgentClient[], lines: number, rate: number): Promise<void> {
  const start = performance.now()
  const said: Promise<unknown>[] = []
  for (let line = 0; line < lines; line++) {
    const early = start + (line * 1_000) / rate - performance.now()
    if (early > 0) await pause(early)
    const text = tokenText(line, nowUs())
    said.push(agents[line % agents.length]!.call('say', { room: 'lobby', text }))
  }
  await Promise.all(said)
}

async function quiet(heard: Heard): Promise<void> {
  for (let last = -1; last !== heard.bytes;) {
    last = heard.bytes
    await pause(QUIET_MS)
  }
}
