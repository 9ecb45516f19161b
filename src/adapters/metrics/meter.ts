// Counts what the server does, in the form that Prometheus reads. It must not know who may read it, nor where what it counts
// happens: it is told, and asks for levels only when somebody reads.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Entry, Usage } from '../../chat/entry.ts'

/** Is told what happens. No method throws. */
export interface Meter {
  /** An entry was recorded, and delivered to so many people. */
  entry(entry: Entry, people: number): void
  /** Somebody logged in over SSH, or was refused for a reason in one word. */
  login(refused?: string): void
  /** A model's turn ended, in one word. Its seconds have the time in which it waited. */
  turnEnded(model: string, outcome: string, seconds: number): void
  /** A model began to answer a request. */
  firstToken(model: string, seconds: number): void
  /** A request to a model failed, for a reason in one word. */
  modelFailed(model: string, reason: string): void
  /** A request to a model used tokens. The cost is in the currency of the config's prices. */
  used(model: string, usage: Usage, cost: number | undefined): void
  /** The storage answered a call, or failed. */
  readonly stored: (lane: string, seconds: number) => void
  /** A prompt was composed, or composing it failed. */
  composed(seconds: number, isDone: boolean): void
}

/** What is asked at each reading. */
export interface Levels {
  readonly sessions: () => number
  readonly mcpSessions: () => number
  /** Bytes that wait for clients over SSH. */
  readonly queueBytes: () => number
  /** Turns that run or wait. */
  readonly turns: () => number
  /** True for each that is connected. */
  readonly mcpServers: () => ReadonlyMap<string, boolean>
}

/** What Prometheus reads. */
export interface Exposition {
  readonly type: string
  readonly text: string
}

/** A meter that can be read. */
export interface ReadableMeter extends Meter {
  /** Adds the levels to what is read. To be called once. */
  watch(levels: Levels): void
  read(): Promise<Exposition>
}

/** Servers can change the names of their tools: beyond so many, tools are counted as one. */
const MAX_TOOL_NAMES = 500
const OTHER_TOOLS = 'other'

/** `version` is sshawl's. */
export function createMeter(version: string): ReadableMeter {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counters = countersIn(registers)
  counters.build.set({ version, node: process.version }, 1)
  const tools = new Set<string>()

  function toolName(id: string | undefined): string {
    if (id === undefined || (tools.size >= MAX_TOOL_NAMES && !tools.has(id))) return OTHER_TOOLS
    tools.add(id)
    return id
  }

  return {
    entry(entry, people) {
      counters.entries.inc({ kind: entry.kind })
      counters.deliveries.inc(people)
      if (entry.kind !== 'tool_result') return
      counters.tools.inc({ tool: toolName(entry.tool), outcome: entry.isError ? 'error' : 'done' })
      counters.toolSeconds.observe(entry.durationMs / 1_000)
    },
    login(refused) {
      if (refused === undefined) counters.logins.inc()
      else counters.refusals.inc({ reason: refused })
    },
    turnEnded(model, outcome, seconds) {
      counters.turns.inc({ model, outcome })
      counters.turnSeconds.observe({ model, outcome }, seconds)
    },
    firstToken: (model, seconds) => counters.firstTokens.observe({ model }, seconds),
    modelFailed: (model, reason) => counters.modelErrors.inc({ model, reason }),
    stored: (lane, seconds) => counters.storage.observe({ lane }, seconds),
    used(model, { input, cached = 0, output }, cost) {
      if (cost !== undefined) counters.cost.inc({ model }, cost)
      counters.tokens.inc({ model, kind: 'input' }, input)
      counters.tokens.inc({ model, kind: 'cached' }, cached)
      counters.tokens.inc({ model, kind: 'output' }, output)
    },
    composed: (seconds, isDone) => counters.wraps.observe({ outcome: isDone ? 'done' : 'failed' }, seconds),
    watch: (levels) => watchLevels(levels, registers),
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const countersIn = (registers: Registry[]) => ({
  ...modelCountersIn(registers),
  entries: new Counter({
    name: 'sshawl_entries_total',
    help: 'Entries recorded in rooms, by kind',
    labelNames: ['kind'],
    registers,
  }),
  deliveries: new Counter({
    name: 'sshawl_deliveries_total',
    help: 'Entries times the people present that they were delivered to',
    registers,
  }),
  logins: new Counter({ name: 'sshawl_logins_total', help: 'Logins over SSH', registers }),
  refusals: new Counter({
    name: 'sshawl_login_refusals_total',
    help: 'Logins over SSH that were refused, by reason',
    labelNames: ['reason'],
    registers,
  }),
  storage: new Histogram({
    name: 'sshawl_storage_seconds',
    help: 'How long calls of the database took, by lane',
    labelNames: ['lane'],
    buckets: [0.001, ...SECONDS],
    registers,
  }),
  build: new Gauge({
    name: 'sshawl_build_info',
    help: '1, with the versions of sshawl and of Node.js',
    labelNames: ['version', 'node'],
    registers,
  }),
  tools: new Counter({
    name: 'sshawl_tool_calls_total',
    help: 'Tool calls that have their result',
    labelNames: ['tool', 'outcome'],
    registers,
  }),
  toolSeconds: new Histogram({
    name: 'sshawl_tool_seconds',
    help: 'How long tool calls took',
    buckets: SECONDS,
    registers,
  }),
  wraps: new Histogram({
    name: 'sshawl_wrap_seconds',
    help: 'How long composing a prompt took, waiting included',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  }),
})

const modelCountersIn = (registers: Registry[]) => ({
  turns: new Counter({
    name: 'sshawl_turns_total',
    help: 'Turns of models that ended, by outcome',
    labelNames: ['model', 'outcome'],
    registers,
  }),
  turnSeconds: new Histogram({
    name: 'sshawl_turn_seconds',
    help: 'How long turns of models took, waiting included',
    labelNames: ['model', 'outcome'],
    buckets: [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
    registers,
  }),
  firstTokens: new Histogram({
    name: 'sshawl_first_token_seconds',
    help: 'From a request to a model to the first piece of its answer',
    labelNames: ['model'],
    buckets: SECONDS,
    registers,
  }),
  modelErrors: new Counter({
    name: 'sshawl_model_errors_total',
    help: 'Failed requests to models, by reason; each attempt counts',
    labelNames: ['model', 'reason'],
    registers,
  }),
  tokens: new Counter({
    name: 'sshawl_tokens_total',
    help: 'Tokens that models read and wrote; cached ones are a part of the input',
    labelNames: ['model', 'kind'],
    registers,
  }),
  cost: new Counter({
    name: 'sshawl_cost_total',
    help: 'What models with prices in the config cost, in the currency of these prices',
    labelNames: ['model'],
    registers,
  }),
})

function watchLevels(levels: Levels, registers: Registry[]): void {
  const { sessions, mcpSessions, queueBytes, turns, mcpServers } = levels
  const level = (name: string, help: string, now: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(now())
      },
    })
  level('sshawl_sessions', 'Sessions of people over SSH', sessions)
  level('sshawl_mcp_sessions', 'MCP sessions over HTTP', mcpSessions)
  level('sshawl_queue_bytes', 'Bytes that wait for clients over SSH', queueBytes)
  level('sshawl_turns_running', 'Turns of models that run or wait', turns)
  void new Gauge({
    name: 'sshawl_mcp_server_up',
    help: '1 for each MCP server that is connected, 0 for one that is not',
    labelNames: ['server'],
    registers,
    collect() {
      // A server that a command disconnected is gone.
      this.reset()
      for (const [server, isUp] of mcpServers()) this.set({ server }, Number(isUp))
    },
  })
}
