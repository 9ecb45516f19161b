import type { RoomName } from '../../chat/entry.ts'
import { SERVER_LOST, type RemoteWork, type Slot, type Slots } from '../../chat/peers.ts'
import type { PersonId } from '../../chat/people/person.ts'
import type { Alarm, MonotonicClock } from '../../chat/ports.ts'
import { TurnStopped } from '../turn-end.ts'
import type { ConfiguredModel } from '../ports.ts'
import { createPiecePace } from './piece-pace.ts'
import type { SumUp } from './sum-up.ts'
import type { Troubles } from './troubles.ts'

/** Sums up rooms in the background: each room once at a time, and few rooms at once. */
export interface RoomWork {
  /** Sums up a room as far as it needs it, or waits for a turn; not where it failed lately, or is held. Never throws. */
  look(room: RoomName): void
  /** True while it works, here or on another server, or waits for others to end. */
  isBusy(room: RoomName): boolean
  /** The model that is asked now; undefined where none is, or it is not known yet. */
  asked(room: RoomName): ConfiguredModel | undefined
  /** The rooms in which it works now; `model` is filled in once it is known. */
  running(): readonly (readonly [RoomName, { readonly model?: ConfiguredModel }])[]
  /** Resolves once nothing is done in the room any more, on no server. Rejects with `StorageError`. */
  stop(room: RoomName): Promise<void>
  /** Nothing is done in the room, on no server, until the function that it resolves to is called. Rejects with `StorageError`. */
  hold(room: RoomName): Promise<() => Promise<void>>
  isClosing(): boolean
  /** Stops all for good. Never rejects. */
  close(): Promise<void>
}

/** What a room's work is done with. */
interface RoomWorkParts {
  readonly sumUp: SumUp
  readonly troubles: Troubles
  readonly slots: Slots
  readonly clock: Alarm & MonotonicClock
}

/** Rooms that are summed up at once: they share the models with turns. */
const MAX_AT_ONCE = 4

/** How long another server that began a moment ago is waited for, in milliseconds. */
const MOMENT_MS = 200
const ONE = { running: 1, waiting: 0 }
/** The server itself asks for summaries. */
const NOBODY = '' as PersonId

const idOf = (room: RoomName): string => `summary ${room}`

interface Running {
  readonly stop: AbortController
  readonly done: Promise<void>
  /** The model that is asked; absent until it is known. */
  model?: ConfiguredModel
}

export function createRoomWork({ sumUp, troubles, slots, clock }: RoomWorkParts): RoomWork {
  const pace = createPiecePace(clock)
  const working = new Map<RoomName, Running>()
  const waiting = new Set<RoomName>()
  /** Rooms in which nothing may be read for a summary now. */
  const held = new Set<RoomName>()
  let closing = false

  function look(room: RoomName): void {
    if (closing || held.has(room) || working.has(room) || troubles.mustWait(room)) return
    if (working.size >= MAX_AT_ONCE) return void waiting.add(room)
    const stop = new AbortController()
    const asks = async (model: ConfiguredModel): Promise<void> => {
      await pace(room, stop.signal)
      const now = working.get(room)
      if (now) now.model = model
    }
    const done = work(room, stop, asks).finally(() => {
      working.delete(room)
      const [next] = waiting
      if (next !== undefined && waiting.delete(next)) look(next)
    })
    working.set(room, { stop, done })
  }

  async function work(
    room: RoomName,
    stop: AbortController,
    asks: (model: ConfiguredModel) => Promise<void>,
  ): Promise<void> {
    try {
      await inPlace(room, stop, async () => {
        while (await sumUp(room, stop.signal, asks)) troubles.over(room)
        troubles.over(room)
      })
    } catch (error) {
      if (stop.signal.aborted) return
      const ms = await troubles.happened(room, error)
      clock.later(ms, () => look(room))
    }
  }

  /** Another server that sums up the room goes on as long as there is something to do. */
  async function inPlace(
    room: RoomName,
    stop: AbortController,
    sumUpAll: () => Promise<void>,
  ): Promise<void> {
    const slot = await takeSlot(room, (reason) => stop.abort(new TurnStopped(reason)))
    if (!slot) return
    try {
      stop.signal.throwIfAborted()
      await sumUpAll()
    } finally {
      await slot.leave()
    }
  }

  /** Undefined if another server sums up the room. */
  async function takeSlot(room: RoomName, stop: (reason: string) => void): Promise<Slot | undefined> {
    const id = idOf(room)
    const work = { id, kind: 'summary', queue: id, room, person: NOBODY, facts: {} } as const
    const slot = await slots.take(work, () => ONE, { stop, lost: () => stop(SERVER_LOST) })
    return 'running' in slot ? undefined : slot
  }

  const remoteWork = (room: RoomName): RemoteWork | undefined => slots.others('summary', room)[0]

  /** Resolves once the other server that sums up the room has stopped. Rejects with `StorageError`. */
  async function stopRemote(room: RoomName): Promise<void> {
    await slots.stop(idOf(room), 'it was stopped')
    // Nothing is known yet of one that began a moment ago.
    await (remoteWork(room)?.ended() ?? new Promise<void>((resolve) => clock.later(MOMENT_MS, resolve)))
  }

  async function stopHere(room: RoomName): Promise<void> {
    const running = working.get(room)
    waiting.delete(room)
    running?.stop.abort(new TurnStopped('it was stopped'))
    await running?.done
  }

  return {
    look,
    isBusy: (room) => working.has(room) || waiting.has(room) || remoteWork(room) !== undefined,
    asked: (room) => working.get(room)?.model,
    running: () => [...working],
    async stop(room) {
      await stopHere(room)
      if (remoteWork(room)) await stopRemote(room)
    },
    async hold(room) {
      held.add(room)
      try {
        await stopHere(room)
        for (;;) {
          const slot = await takeSlot(room, () => {})
          if (slot)
            return async () => {
              held.delete(room)
              await slot.leave()
            }
          await stopRemote(room)
        }
      } catch (error) {
        held.delete(room)
        throw error
      }
    },
    isClosing: () => closing,
    async close() {
      closing = true
      waiting.clear()
      const all = [...working.values()]
      for (const { stop } of all) stop.abort(new TurnStopped('the server is stopping'))
      await Promise.allSettled(all.map(({ done }) => done))
    },
  }
}
