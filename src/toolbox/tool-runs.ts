import type { RoomName, ToolResultEntry } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Clock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { Withdrawn } from '../tools/permission.ts'
import type { PermissionProvider } from '../tools/context.ts'
import { directOffer } from './direct-offer.ts'
import type { ReportDoing } from './call-context.ts'
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
  /** Aborted when the person is gone. */
  readonly signal: AbortSignal
}

/** A tool at work for a person. */
export interface ToolRun {
  /** The id of its call. */
  readonly call: string
  readonly room: RoomName
  /** The name it was called by. */
  readonly tool: string
  /** The person's name of now. */
  readonly requester: string
  readonly requesterId: PersonId
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

/** People's own tool runs: the same tools, scope, permissions and log as in a turn, with no model present. */
export interface ToolRuns extends AsyncDisposable {
  /**
   * Resolves with the recorded result; trouble is a result too. Rejects with `Refusal` (too many at once, the server is
   * stopping) and `StorageError`.
   */
  run(request: ToolRunRequest): Promise<ToolResultEntry>
  /** The runs of a room, or of all rooms where none is named, in order of their start. */
  running(room?: RoomName): readonly ToolRun[]
}

/** Tools that one person may have at work at once. */
const MAX_RUNS_PER_PERSON = 4

/** Disposing stops every run, waits until it is recorded, and starts no more. */
export function createToolRuns(openToolbox: OpenToolbox, newId: () => string, clock: Clock): ToolRuns {
  const active = new Map<ToolRun, Promise<unknown>>()
  let closing = false

  function refuseIfFull(person: Person): void {
    if (closing) throw new Refusal('the server is stopping; run it again when it is back')
    const mine = [...active.keys()].filter((run) => run.requesterId === person.id)
    if (mine.length < MAX_RUNS_PER_PERSON) return
    throw new Refusal(`you have ${mine.length} tools at work already; wait for one, or use /stop`)
  }

  return {
    async run({ room, person, tool, args, permissions, signal }) {
      room.needVoice(person)
      refuseIfFull(person)
      const stop = new AbortController()
      const name = cleanName(tool)
      const id = `run_${newId()}`
      let now = { doing: name, since: clock.now() }
      let progress: ToolProgress | undefined
      const run: ToolRun = {
        call: id,
        room: room.name,
        tool: name,
        get requester() {
          return person.name
        },
        requesterId: person.id,
        doing: () => now.doing,
        progress: () => progress,
        since: () => now.since,
        cancel: (why) => stop.abort(new Withdrawn(why)),
        done: async () => await Promise.allSettled([active.get(run)]),
      }
      const report: ReportDoing = (doing, share) => {
        if (doing !== now.doing) now = { doing, since: clock.now() }
        progress = share
      }
      const caller = { room, requester: person, report, ...(permissions ? { permissions } : {}) }
      const call = { id, name: tool, arguments: args }
      const leave = (): void => stop.abort(new Withdrawn(`${person.name} left`))
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      const result = openToolbox(caller, directOffer).run(call, stop.signal)
      active.set(run, result)
      return await result.finally(() => {
        signal.removeEventListener('abort', leave)
        active.delete(run)
      })
    },
    running: (room) => [...active.keys()].filter((run) => room === undefined || run.room === room),
    async [Symbol.asyncDispose]() {
      closing = true
      for (const run of active.keys()) run.cancel('the server is stopping')
      await Promise.allSettled(active.values())
    },
  }
}
