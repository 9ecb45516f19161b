import type { RoomName, ToolResultEntry } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/person.ts'
import type { Clock, Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { ResultStore, Workspaces } from '../tools/ports.ts'
import type { PermissionProvider, ToolLimits } from '../tools/tool.ts'
import { directOffer } from './direct-offer.ts'
import { createToolbox } from './toolbox.ts'
import { viewTools, type ViewParts } from './scoped-tools.ts'

/** One tool that a person wants run. */
export interface RunOrder {
  readonly room: Room
  readonly person: Person
  /** As `/tools` lists it. */
  readonly tool: string
  /** JSON text of its arguments; blank for none. */
  readonly args: string
  /** Instead of asking in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
  /** Aborted when the person is gone. */
  readonly signal: AbortSignal
}

/** A tool at work for a person. */
export interface ToolRun {
  readonly room: RoomName
  /** The name it was called by. */
  readonly tool: string
  /** The person's name. */
  readonly requester: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  cancel(): void
}

/** People's own tool runs: the same tools, scope, permissions and log as in a turn, with no model present. */
export interface ToolRuns extends AsyncDisposable {
  /**
   * Resolves with what came of it, trouble included; the room's log has the call and this. Rejects with `Refusal` (too
   * many at once, stopping) and `StorageError`.
   */
  run(order: RunOrder): Promise<ToolResultEntry>
  /** Those of a room, in order of their start. */
  running(room: RoomName): readonly ToolRun[]
}

/** What runs are made from. */
export interface ToolRunsParts extends ViewParts {
  readonly permissions: PermissionProvider
  readonly workspaces: Workspaces
  readonly results: Pick<ResultStore, 'put'>
  readonly limits: { readonly tools: ToolLimits }
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Log
}

/** Tools that one person may have at work at once. */
const RUNS_PER_PERSON = 4

/** Disposing stops every run, waits until it is recorded, and starts no more. */
export function createToolRuns(parts: ToolRunsParts): ToolRuns {
  const active = new Map<ToolRun, Promise<unknown>>()
  let closing = false

  function refuseIfFull(person: Person): void {
    if (closing) throw new Refusal('the server is stopping; run it again when it is back')
    const mine = [...active.keys()].filter((run) => run.requester === person.name)
    if (mine.length < RUNS_PER_PERSON) return
    throw new Refusal(`you have ${mine.length} tools at work already; wait for one, or use stop`)
  }

  return {
    async run(order) {
      refuseIfFull(order.person)
      const stop = new AbortController()
      const run = describe(order, parts.clock.now(), () => stop.abort(new Error('the run was stopped')))
      const result = runOnce(order, parts, AbortSignal.any([order.signal, stop.signal]))
      active.set(run, result)
      return await result.finally(() => active.delete(run))
    },
    running: (room) => [...active.keys()].filter((run) => run.room === room),
    async [Symbol.asyncDispose]() {
      closing = true
      for (const run of active.keys()) run.cancel()
      await Promise.allSettled(active.values())
    },
  }
}

const describe = ({ room, person, tool }: RunOrder, startedAt: number, cancel: () => void): ToolRun => ({
  room: room.name,
  tool,
  requester: person.name,
  startedAt,
  cancel,
})

function runOnce(order: RunOrder, parts: ToolRunsParts, signal: AbortSignal): Promise<ToolResultEntry> {
  const { room, person, tool, args } = order
  const viewer = { room, requester: person }
  const toolbox = createToolbox(
    {
      viewer,
      caller: person.name,
      view: () => viewTools(parts, viewer),
      permissions: order.permissions ?? parts.permissions,
      workspace: parts.workspaces.of(room.name),
      limits: parts.limits.tools,
      results: parts.results,
      clock: parts.clock,
      log: parts.log,
    },
    directOffer,
  )
  return toolbox.run({ id: `run_${parts.newId()}`, name: tool, arguments: args }, signal)
}
