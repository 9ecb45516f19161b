import type { AgentListener } from '../../adapters/mcp/server/agent.ts'
import type { Entry, RoomName } from '../../chat/entry.ts'
import { Refusal, StorageError } from '../../chat/errors.ts'
import type { OpenClient } from '../../chat/moderation/open-clients.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Participant } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { AgentControl } from '../../commands/caller.ts'
import { createSerial } from '../../lib/jobs/serial.ts'

/** The rooms that one agent is in, and those that it follows without being there. */
export interface AgentRooms extends AgentControl {
  /** Resolves to why not: what `whyNot` says, or the person may not see the room, or it is one too many. */
  follow(name: string, whyNot: () => Promise<string | undefined>): Promise<string | undefined>
  unfollow(name: string): void
  /** Whether the person may read it now. Rejects with `StorageError`. */
  sees(name: string): Promise<boolean>
  readonly putOut: NonNullable<OpenClient['leave']>
  listen(listener: AgentListener): void
  /** For an agent that is over: it enters none any more. Rejects with `StorageError`. */
  leaveAll(): Promise<void>
}

/** Rooms that an agent may be in at once, and as many that it may follow. */
const MAX_ROOMS = 32

const TOO_MANY = `an agent is in ${MAX_ROOMS} rooms at most, and follows as many; leave one of them, or listen to fewer`

export function createAgentRooms(
  person: Person,
  rooms: Pick<Rooms, 'get'>,
  hears: (entry: Entry) => boolean,
): AgentRooms {
  const stays = new Map<RoomName, { readonly room: Room; readonly participant: Participant }>()
  const followed = new Map<string, () => void>()
  // Somebody may be put out of a room while their agent goes into it.
  const oneByOne = createSerial()
  let listener: AgentListener | undefined
  let isOver = false

  const participant = (): Participant => ({
    person,
    deliver(entry) {
      if (hears(entry)) listener?.heard(entry)
    },
  })

  async function goIn(room: Room): Promise<void> {
    if (isOver || stays.has(room.name)) return
    if (stays.size >= MAX_ROOMS) throw new Refusal(TOO_MANY)
    const stay = { room, participant: participant() }
    stays.set(room.name, stay)
    try {
      await room.enter(stay.participant)
      // Whoever lost the right to it meanwhile was put out before they were in.
      await rooms.get(room.name, person)
    } catch (error) {
      await goOut(room.name)
      throw error
    }
  }

  async function goOut(name: RoomName): Promise<boolean> {
    const stay = stays.get(name)
    stays.delete(name)
    await stay?.room.leave(stay.participant)
    return stay !== undefined
  }

  function unfollow(name: string): boolean {
    followed.get(name)?.()
    return followed.delete(name)
  }

  /** Hears a room that the person may read, if that is still wanted then. Resolves to why not. */
  async function listenTo(name: string, isWanted: () => boolean): Promise<string | undefined> {
    try {
      const room = await rooms.get(name, person)
      if (!isWanted()) return undefined
      unfollow(name)
      // Only now: a room that the person may not see takes no place, and nobody can count what is hidden.
      if (followed.size >= MAX_ROOMS) return TOO_MANY
      followed.set(name, room.listen({ deliver: (entry) => void (hears(entry) && listener?.changed(entry)) }))
      await rooms.get(name, person)
    } catch (error) {
      unfollow(name)
      if (error instanceof Refusal || error instanceof StorageError) return error.message
      throw error
    }
    return undefined
  }

  /** Hears nothing of a room that it follows until it is known whether the person may still read it. */
  async function silentDuring<T>(name: string, step: () => Promise<T>): Promise<T> {
    followed.get(name)?.()
    if (followed.has(name)) followed.set(name, () => {})
    try {
      return await step()
    } finally {
      if (followed.has(name)) await listenTo(name, () => followed.has(name))
    }
  }

  return {
    enter: (room) => oneByOne(() => goIn(room)),
    leave: (room) =>
      oneByOne(async () => {
        if (!(await goOut(room.name))) throw new Refusal(`you are not in ${room.name}; join it first`)
      }),
    async follow(name, whyNot) {
      if (isOver || followed.has(name)) return undefined
      return (await whyNot()) ?? (await listenTo(name, () => true))
    },
    unfollow: (name) => void unfollow(name),
    async sees(name) {
      try {
        await rooms.get(name, person)
        return true
      } catch (error) {
        if (error instanceof Refusal) return false
        throw error
      }
    },
    putOut: (name, why) =>
      oneByOne(async () => {
        const wasFollowed = followed.has(name)
        const wasThere = await silentDuring(name, () => goOut(name))
        const out = { why, isFollowed: followed.has(name) }
        if (wasThere || wasFollowed) listener?.putOut(name, out)
      }),
    listen(heard) {
      listener = heard
    },
    leaveAll: () =>
      oneByOne(async () => {
        isOver = true
        listener = undefined
        for (const name of followed.keys()) unfollow(name)
        for (const name of stays.keys()) await goOut(name)
      }),
  }
}
