import type { RoomName, ToolResultEntry } from '../words/entry.ts'
import { Refusal, whyAborted } from '../words/errors.ts'
import type { ToolProgress } from '../words/tool-progress.ts'
import { type Slots, SERVER_LOST, type Room } from '../chat/index.ts'
import type { Person, PersonId } from '../words/person.ts'
import type { Clock } from '../base/environment.ts'
import { CancelledError, type PermissionProvider } from '../tools/index.ts'
import { closest } from '../base/suggest.ts'
import { findToolsDefinition } from '../wrap/scope/index.ts'
import {
  directOffer,
  type CallNames,
  type ReportDoing,
  cleanName,
  typedArguments,
} from '../wrap/toolbox/index.ts'
import type { OpenToolbox } from './room-toolbox.ts'

interface ToolRunRequest {
  readonly room: Room
  readonly person: Person
  /** The tool's name as `/tools` lists it. */
  readonly tool: string
  /** JSON, or the text of `typedArguments`; blank for no arguments. */
  readonly args: string
  /** For a script, whose caller cannot be asked; if absent, people are asked. */
  readonly permissions?: PermissionProvider
  /** Aborted when the person has left, or with another reason of `whyAborted`. */
  readonly signal: AbortSignal
}

/** A tool run on this server or another one of the cluster. */
export interface ToolRun {
  readonly call: string
  readonly room: RoomName
  readonly tool: string
  /** The requester's current name. */
  readonly requester: string
  readonly requesterId: PersonId
  /** Returns the tool's name, or that the run waits for a permission. */
  doing(): string
  progress(): ToolProgress | undefined
  /** When `doing` last changed, in milliseconds since the epoch. */
  since(): number
  /** Ends the run soon. Its result says why, in words that end a sentence. */
  cancel(why: string): void
  /** Resolves when the run has ended and is recorded, whether it failed or not. */
  done(): Promise<unknown>
}

/** Runs of one person at the same time, on all servers together. */
const MAX_RUNS_PER_PERSON = 4

/** People's own tool runs: the same tools, scope, permissions and log as in a turn. */
export class ToolRuns implements AsyncDisposable {
  readonly #openToolbox: OpenToolbox
  readonly #newId: () => string
  readonly #clock: Clock
  readonly #slots: Slots
  readonly #active = new Map<ToolRun, Pick<ToolRunRequest, 'room' | 'person'>>()
  #isClosing = false

  constructor(openToolbox: OpenToolbox, newId: () => string, clock: Clock, slots: Slots) {
    this.#openToolbox = openToolbox
    this.#newId = newId
    this.#clock = clock
    this.#slots = slots
  }

  /** Resolves with the recorded result, also of a failure. Rejects with `Refusal` and `StorageError`. */
  async run(request: ToolRunRequest): Promise<ToolResultEntry> {
    const { room, person, signal } = request
    room.needVoice(person)
    if (this.#isClosing) throw new Refusal('the server is stopping; run it again when it is back')
    const stop = new AbortController()
    const tool = cleanName(request.tool)
    let now = { doing: tool, since: this.#clock.now() }
    let progress: ToolProgress | undefined
    const run: ToolRun = {
      call: `run_${this.#newId()}`,
      room: room.name,
      tool,
      get requester() {
        return person.name
      },
      requesterId: person.id,
      doing: () => now.doing,
      progress: () => progress,
      since: () => now.since,
      cancel: (why) => stop.abort(new CancelledError(why)),
      done: () => Promise.allSettled([result]),
    }
    const leave = (): void => run.cancel(whyAborted(signal, `${person.name} left`))
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    const result = this.#runInSlot(request, run, stop.signal, (doing, share) => {
      if (doing !== now.doing) now = { doing, since: this.#clock.now() }
      progress = share
    })
    this.#active.set(run, { room, person })
    return await result.finally(() => {
      signal.removeEventListener('abort', leave)
      this.#active.delete(run)
    })
  }

  /** The runs of a room, or of all rooms; those of other servers come last. */
  running(room?: RoomName): readonly ToolRun[] {
    const here = [...this.#active.keys()].filter((run) => room === undefined || run.room === room)
    return [...here, ...remoteRuns(this.#slots, room)]
  }

  /** Stops the runs of people who were removed or silenced. Rejects with `StorageError`. */
  async stopForbidden(): Promise<void> {
    for (const [run, { room, person }] of this.#active) {
      const why = await room.whyNoWork(person)
      if (why !== undefined) run.cancel(why)
    }
  }

  /** Stops every run, waits until it is recorded, and starts no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    const runs = [...this.#active.keys()]
    for (const run of runs) run.cancel('the server is stopping')
    await Promise.all(runs.map((run) => run.done()))
  }

  async #runInSlot(
    { room, person, tool, args, permissions }: ToolRunRequest,
    run: ToolRun,
    signal: AbortSignal,
    report: ReportDoing,
  ): Promise<ToolResultEntry> {
    const facts: RunFacts = { tool: run.tool, requester: person.name }
    const slot = await this.#slots.take(
      { id: run.call, kind: 'run', queue: `run ${person.id}`, room: room.name, person: person.id, facts },
      () => ({ running: MAX_RUNS_PER_PERSON, waiting: 0 }),
      { stop: run.cancel, lost: () => run.cancel(SERVER_LOST) },
    )
    if ('running' in slot)
      throw new Refusal(`you have ${slot.running} tools at work already; wait for one, or use /stop`)
    const reportAll: ReportDoing = (doing, progress) => {
      report(doing, progress)
      slot.report(doing, progress)
    }
    const caller = { room, requester: person, report: reportAll, ...(permissions && { permissions }) }
    return await this.#openToolbox(caller, runnable)
      .run({ id: run.call, name: tool, arguments: args }, signal)
      .finally(() => void slot.leave())
  }
}

/** Throws a `Refusal` for a wrong name, so that only the caller sees it and nothing is recorded. */
const runnable: CallNames = {
  ...directOffer,
  argumentsOf: (text, name, target) =>
    typedArguments(
      text,
      name,
      target.kind === 'search' ? findToolsDefinition.parameters : target.tool.schema,
    ),
  unknown(name, { visible }) {
    const names = visible.map((tool) => tool.name)
    const near = closest(name, names) ?? names.find((one) => name.length > 2 && one.includes(name))
    const hint = near === undefined ? '/tools lists those of this room' : `did you mean ${near}?`
    throw new Refusal(`no tool ${name.slice(0, 40)}; ${hint}`)
  },
}

type RunFacts = Readonly<Record<'tool' | 'requester', string>>

const remoteRuns = (slots: Slots, room?: RoomName): readonly ToolRun[] =>
  slots.others('run', room).map((work) => {
    const { tool, requester } = work.facts as RunFacts
    return {
      call: work.id,
      room: work.room,
      tool,
      requester,
      requesterId: work.person,
      doing: () => work.doing.what ?? tool,
      progress: () => work.doing.progress,
      since: () => work.startedAt,
      cancel: work.stop,
      done: work.ended,
    }
  })
