import type { RoomName } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { ToolProgress } from '../chat/tool-progress.ts'
import type { ReportDoing } from './call-context.ts'

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
  /** True where another server runs it. */
  readonly isElsewhere?: boolean
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

/** One of the places that a person's runs have. */
export interface RunSlot {
  /** What the run does now, for those who see it from elsewhere. */
  readonly report: ReportDoing
  /** Does nothing the second time. */
  leave(): void
}

/** How many tools everybody has at work: on this server where it is alone, else on all servers together. */
export interface RunSlots {
  /**
   * Takes a place for a run. `stop` is called where the run is stopped from elsewhere. Rejects with `Refusal` where the person has
   * too many, and with `StorageError`.
   */
  take(run: CalledRun, stop: (why: string) => void): Promise<RunSlot>
  /** The runs of other servers, in order of their start. */
  elsewhere(room?: RoomName): readonly ToolRun[]
}

/** Tools that one person may have at work at once. */
export const MAX_RUNS_PER_PERSON = 4

/** The places of a server that is alone. */
export function createRunSlots(): RunSlots {
  const taken = new Map<object, PersonId>()
  return {
    async take({ requesterId }) {
      const count = [...taken.values()].filter((id) => id === requesterId).length
      if (count >= MAX_RUNS_PER_PERSON) throw tooManyRuns(count)
      const slot = {}
      taken.set(slot, requesterId)
      return { report() {}, leave: () => void taken.delete(slot) }
    },
    elsewhere: () => [],
  }
}

/** What somebody reads who has so many. */
export const tooManyRuns = (count: number): Refusal =>
  new Refusal(`you have ${count} tools at work already; wait for one, or use /stop`)
