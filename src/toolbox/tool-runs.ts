import type { RoomName, ToolResultEntry } from '../chat/entry.ts'
import { Refusal, whyAborted } from '../chat/errors.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import { type Slots, SERVER_LOST, type Slot } from '../chat/peers.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Clock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { Withdrawn } from '../tools/permission.ts'
import type { PermissionProvider } from '../tools/context.ts'
import { directOffer } from './direct-offer.ts'
import type { ReportDoing } from './run-tool.ts'
import { cleanName } from './tool-call.ts'
import type { OpenToolbox } from './room-toolbox.ts'

/** A tool that a person wants to run. */
export interface ToolRunRequest {
  readonly room: Room
  readonly person: Person
  /** As `/tools` lists it. */
  readonly tool: string
  /** JSON text of its arguments; blank for none. */
  readonly args: string
  /** Decides in place of the people in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
  /** Aborted when the person is gone, or with another reason of `whyAborted`. */
  readonly signal: AbortSignal
}

/** People's own tool runs: the same tools, scope, permissions and log as in a turn, with no model present. */
export interface ToolRuns extends AsyncDisposable {
  /**
   * Resolves with the recorded result; trouble is a result too. Rejects with `Refusal` (too many at once, the
   * server is stopping) and `StorageError`.
   */
  run(request: ToolRunRequest): Promise<ToolResultEntry>
  /** The runs of a room, or of all rooms where none is named; those of other servers come last. */
  running(room?: RoomName): readonly ToolRun[]
  /** Stops those of this server whose people were put out or silenced. Rejects with `StorageError`. */
  stopThoseOut(): Promise<void>
}

/** One that this server has. */
interface ActiveRun extends Pick<ToolRunRequest, 'room' | 'person'> {
  readonly result: Promise<unknown>
}

/** Disposing stops every run, waits until it is recorded, and starts no more. */
export function createToolRuns(
  openToolbox: OpenToolbox,
  newId: () => string,
  clock: Clock,
  slots: Slots,
): ToolRuns {
  const active = new Map<ToolRun, ActiveRun>()
  let closing = false

  return {
    async run({ room, person, tool, args, permissions, signal }) {
      room.needVoice(person)
      if (closing) throw new Refusal('the server is stopping; run it again when it is back')
      const stop = new AbortController()
      const called = calledTool(room, person, cleanName(tool), `run_${newId()}`)
      const cancel = (why: string): void => stop.abort(new Withdrawn(why))
      let now = { doing: called.tool, since: clock.now() }
      let progress: ToolProgress | undefined
      const run: ToolRun = {
        ...called,
        get requester() {
          return person.name
        },
        doing: () => now.doing,
        progress: () => progress,
        since: () => now.since,
        cancel,
        done: async () => await Promise.allSettled([active.get(run)?.result]),
      }
      const report: ReportDoing = (doing, share) => {
        if (doing !== now.doing) now = { doing, since: clock.now() }
        progress = share
      }
      async function runInSlot(): Promise<ToolResultEntry> {
        const slot = await takeRunSlot(slots, called, cancel)
        const reportAll: ReportDoing = (doing, share) => {
          report(doing, share)
          slot.report(doing, share)
        }
        const caller = { room, requester: person, report: reportAll, ...(permissions && { permissions }) }
        const call = { id: called.call, name: tool, arguments: args }
        return await openToolbox(caller, directOffer)
          .run(call, stop.signal)
          .finally(() => void slot.leave())
      }
      const leave = (): void => cancel(whyAborted(signal, `${person.name} left`))
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      const result = runInSlot()
      active.set(run, { room, person, result })
      return await result.finally(() => {
        signal.removeEventListener('abort', leave)
        active.delete(run)
      })
    },
    running(room) {
      const here = [...active.keys()].filter((run) => room === undefined || run.room === room)
      return [...here, ...remoteRuns(slots, room)]
    },
    async stopThoseOut() {
      for (const [run, { room, person }] of active) {
        const why = await room.whyNoWork(person)
        if (why !== undefined) run.cancel(why)
      }
    },
    async [Symbol.asyncDispose]() {
      closing = true
      for (const run of active.keys()) run.cancel('the server is stopping')
      await Promise.allSettled([...active.values()].map(({ result }) => result))
    },
  }
}

const calledTool = (room: Room, person: Person, tool: string, call: string): CalledRun => ({
  call,
  room: room.name,
  tool,
  requester: person.name,
  requesterId: person.id,
})

/** A tool that a person has called. */
export interface CalledRun {
  /** The id of its call. */
  readonly call: string
  readonly room: RoomName
  /** The name it was called by. */
  readonly tool: string
  /** The person's name of now. */
  readonly requester: string
  readonly requesterId: PersonId
}

/** A tool at work for a person, on whichever server. */
export interface ToolRun extends CalledRun {
  /** The tool's name, or that it waits for a permission. */
  doing(): string
  /** How far the tool is, as it says. */
  progress(): ToolProgress | undefined
  /** When it began to do that, in milliseconds since the epoch. */
  since(): number
  /** Ends the run soon; its result says why, in words that end a sentence. Does nothing if it has ended. */
  cancel(why: string): void
  /** Resolves when it has ended and is recorded, however that went. */
  done(): Promise<unknown>
}

/** Tools that one person may have at work at once, on all servers. */
const MAX_RUNS_PER_PERSON = 4

/**
 * Takes one of the slots that a person's runs have. `stop` is called when another server stops the run.
 * Rejects with `Refusal` if the person has too many, and with `StorageError`.
 */
export async function takeRunSlot(
  slots: Pick<Slots, 'take'>,
  { call: id, room, tool, requester, requesterId: person }: CalledRun,
  stop: (why: string) => void,
): Promise<Slot> {
  const facts = { tool, requester } satisfies RunFacts
  const slot = await slots.take(
    { id, kind: 'run', queue: `run ${person}`, room, person, facts },
    () => ({ running: MAX_RUNS_PER_PERSON, waiting: 0 }),
    { stop, lost: () => stop(SERVER_LOST) },
  )
  if ('running' in slot)
    throw new Refusal(`you have ${slot.running} tools at work already; wait for one, or use /stop`)
  return slot
}

/** The runs of other servers, in the order of their start. */
export const remoteRuns = (slots: Pick<Slots, 'others'>, room?: RoomName): readonly ToolRun[] =>
  slots.others('run', room).map((work) => {
    const { tool, requester } = work.facts as { readonly [Key in keyof RunFacts]: string }
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

/** What all servers are told of a run. */
type RunFacts = Pick<CalledRun, 'tool' | 'requester'>
