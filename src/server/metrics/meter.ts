// Collects metrics for Prometheus. It must not know who may read them, nor which code reports them: events
// are pushed to it, gauges are read at each scrape.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Entry, Usage } from '../../words/entry.ts'

/** Gauges, read at each scrape. */
export interface GaugeValues {
  readonly sessions: () => number
  readonly mcpSessions: () => number
  /** Bytes that wait for SSH clients. */
  readonly queueBytes: () => number
  /** Turns that run or wait. */
  readonly turns: () => number
  /** Counts the routines that have not ended, by state. Never rejects. */
  readonly routines: () => Promise<ReadonlyMap<string, number>>
  /** Maps each MCP server to true if it is connected. */
  readonly mcpServers: () => ReadonlyMap<string, boolean>
}

/** MCP servers can rename their tools: beyond this number, further tools are counted as one. */
const MAX_TOOL_NAMES = 500
const OTHER_TOOLS = 'other'

/** Counts reported events for Prometheus. Only `read` may throw. */
export class Meter {
  readonly #registry = new Registry()
  readonly #metrics: ReturnType<typeof metricsIn>
  readonly #tools = new Set<string>()

  constructor(version: string) {
    collectDefaultMetrics({ register: this.#registry })
    this.#metrics = metricsIn([this.#registry])
    this.#metrics.build.set({ version, node: process.version }, 1)
  }

  /** Counts a recorded entry that was delivered to `people` people. */
  entry(entry: Entry, people: number): void {
    const { entries, deliveries, tools, toolSeconds } = this.#metrics
    entries.inc({ kind: entry.kind })
    deliveries.inc(people)
    if (entry.kind !== 'tool_result') return
    tools.inc({ tool: this.#toolName(entry.tool), outcome: entry.isError ? 'error' : 'done' })
    toolSeconds.observe(entry.durationMs / 1_000)
  }

  /** Counts an SSH login, or a refusal by its one-word reason. */
  login(refused?: string): void {
    if (refused === undefined) this.#metrics.logins.inc()
    else this.#metrics.refusals.inc({ reason: refused })
  }

  /** Counts a model's turn by its one-word outcome. `seconds` includes waiting. */
  turnEnded(model: string, outcome: string, seconds: number): void {
    this.#metrics.turns.inc({ model, outcome })
    this.#metrics.turnSeconds.observe({ model, outcome }, seconds)
  }

  /** Counts a run of a routine by its one-word outcome. */
  routineRan(outcome: string): void {
    this.#metrics.routines.inc({ outcome })
  }

  firstToken(model: string, seconds: number): void {
    this.#metrics.firstTokens.observe({ model }, seconds)
  }

  /** Counts a failed model request by its one-word reason. */
  modelFailed(model: string, reason: string): void {
    this.#metrics.modelErrors.inc({ model, reason })
  }

  /** Counts the tokens of a model request. `cost` is in the config's currency. */
  used(model: string, { input, cached = 0, output }: Usage, cost: number | undefined): void {
    for (const [kind, count] of Object.entries({ input, cached, output }))
      this.#metrics.tokens.inc({ model, kind }, count)
    if (cost !== undefined) this.#metrics.cost.inc({ model }, cost)
  }

  /** Records the time of a storage call, also of a failed one. */
  readonly stored = (lane: string, seconds: number): void => this.#metrics.storage.observe({ lane }, seconds)

  composed(seconds: number, isDone: boolean): void {
    this.#metrics.wraps.observe({ outcome: isDone ? 'done' : 'failed' }, seconds)
  }

  /** Adds the gauges. To be called once. */
  watch(levels: GaugeValues): void {
    watchLevels(levels, [this.#registry])
  }

  async read(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  #toolName(id: string | undefined): string {
    if (id === undefined || (this.#tools.size >= MAX_TOOL_NAMES && !this.#tools.has(id))) return OTHER_TOOLS
    this.#tools.add(id)
    return id
  }
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const TURN_SECONDS = [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600]

function metricsIn(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    buckets = SECONDS,
  ) => new Histogram({ name, help, labelNames, buckets, registers })
  return {
    build: new Gauge({
      name: 'sshawl_build_info',
      help: '1, with the versions of sshawl and of Node.js',
      labelNames: ['version', 'node'],
      registers,
    }),
    entries: counter('sshawl_entries_total', 'Entries recorded in rooms, by kind', ['kind']),
    deliveries: counter(
      'sshawl_deliveries_total',
      'Deliveries of entries: one for each entry and person who got it',
    ),
    routines: counter('sshawl_routine_runs_total', 'Runs of routines, by outcome', ['outcome']),
    logins: counter('sshawl_logins_total', 'Logins over SSH'),
    refusals: counter('sshawl_login_refusals_total', 'Logins over SSH that were refused, by reason', [
      'reason',
    ]),
    storage: histogram(
      'sshawl_storage_seconds',
      'How long calls of the database took, by lane',
      ['lane'],
      [0.001, ...SECONDS],
    ),
    tools: counter('sshawl_tool_calls_total', 'Tool calls that have their result', ['tool', 'outcome']),
    toolSeconds: histogram('sshawl_tool_seconds', 'How long tool calls took'),
    wraps: histogram('sshawl_wrap_seconds', 'How long composing a prompt took, waiting included', [
      'outcome',
    ]),
    turns: counter('sshawl_turns_total', 'Turns of models that ended, by outcome', ['model', 'outcome']),
    turnSeconds: histogram(
      'sshawl_turn_seconds',
      'How long turns of models took, waiting included',
      ['model', 'outcome'],
      TURN_SECONDS,
    ),
    firstTokens: histogram(
      'sshawl_first_token_seconds',
      'From a request to a model to the first piece of its answer',
      ['model'],
    ),
    modelErrors: counter(
      'sshawl_model_errors_total',
      'Failed requests to models, by reason; each attempt counts',
      ['model', 'reason'],
    ),
    tokens: counter(
      'sshawl_tokens_total',
      'Tokens that models read and wrote; cached ones are a part of the input',
      ['model', 'kind'],
    ),
    cost: counter(
      'sshawl_cost_total',
      'What models with prices in the config cost, in the currency of these prices',
      ['model'],
    ),
  }
}

function watchLevels(levels: GaugeValues, registers: Registry[]): void {
  const level = (name: string, help: string, now: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(now())
      },
    })
  level('sshawl_sessions', 'Sessions of people over SSH', levels.sessions)
  level('sshawl_mcp_sessions', 'MCP sessions over HTTP', levels.mcpSessions)
  level('sshawl_queue_bytes', 'Bytes that wait for clients over SSH', levels.queueBytes)
  level('sshawl_turns_running', 'Turns of models that run or wait', levels.turns)
  void new Gauge({
    name: 'sshawl_routines',
    help: 'Routines of all servers that have not ended, by state',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await levels.routines()
      this.reset()
      for (const [state, count] of counts) this.set({ state }, count)
    },
  })
  void new Gauge({
    name: 'sshawl_mcp_server_up',
    help: '1 for each MCP server that is connected, 0 for one that is not',
    labelNames: ['server'],
    registers,
    collect() {
      // Drops servers that a command disconnected.
      this.reset()
      for (const [server, isUp] of levels.mcpServers()) this.set({ server }, Number(isUp))
    },
  })
}
