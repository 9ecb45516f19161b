import type { RoomName } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { SERVER_LOST, type Slot, type Slots } from '../chat/peers.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'

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
 * Takes one of the slots that a person's runs have. `stop` is called when another server stops the run. Rejects with `Refusal`
 * if the person has too many, and with `StorageError`.
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
