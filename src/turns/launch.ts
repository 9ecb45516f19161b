import type { Entry, RoomName, TurnId } from '../chat/entry.ts'
import { TurnStopped } from './ending.ts'
import type { Place } from './turn-queue.ts'
import { runTurn, type TurnJob, type TurnParts } from './turn.ts'

/** A turn that was accepted: it runs, or waits for its place. */
export interface RunningTurn {
  readonly id: TurnId
  readonly room: RoomName
  /** The model's name. */
  readonly model: string
  /** The requester's name. */
  readonly requester: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** `waiting`, `thinking`, `writing`, or the name of the tool that runs. */
  doing(): string
  /** The last entry of the turn: its reply, or the notice that ends it. Rejects with `StorageError` only. */
  readonly done: Promise<Entry>
  /** Ends it soon, and says so in the room; nothing if it has ended. */
  cancel(reason?: string): void
}

/** Puts a turn on record, waits for its place, runs it. `begun` rejects with `StorageError`, and then nothing runs. */
export function launch(
  job: Omit<TurnJob, 'report' | 'begun'>,
  parts: TurnParts,
  place: Place,
  ended: () => void,
): RunningTurn & { readonly begun: Promise<void> } {
  const stop = new AbortController()
  const startedAt = parts.clock.now()
  const { id, room, requester, model } = job
  let doing = 'waiting'

  async function run(): Promise<Entry> {
    try {
      await place.ready
      const report = (what: string): void => void (doing = what)
      const { last } = await runTurn({ ...job, begun, report }, parts, stop.signal)
      return last
    } finally {
      place.leave()
      ended()
    }
  }

  const facts = { id, room: room.name, model: model.settings.name, requester: requester.name, startedAt }
  const begun = parts.turns.begin(facts)
  const done = run()
  // Whoever waits for the turn sees its failure; where nobody does, the log must.
  done.catch((error: unknown) => parts.log.error({ turn: id, error }, 'a turn could not be recorded'))
  return {
    ...facts,
    begun,
    done,
    doing: () => doing,
    cancel(reason = `@${facts.model} was stopped`) {
      stop.abort(new TurnStopped(reason))
      place.giveUp()
    },
  }
}
