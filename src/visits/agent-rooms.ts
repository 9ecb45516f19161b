import type { AgentListener, Participant, Room, Rooms } from '../chat/index.ts'
import type { Entry, RoomName } from '../words/entry.ts'
import { Refusal, StorageError, ignoreRefusal } from '../words/errors.ts'
import type { Person } from '../words/person.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { AgentControl } from '../commands/index.ts'

const MAX_ROOMS = 32

const TOO_MANY = `an agent is in ${MAX_ROOMS} rooms at most, and follows as many; leave one of them, or listen to fewer`

/** The rooms that one agent has entered, and the rooms that it follows without being present. */
export class AgentRooms implements AgentControl {
  readonly person: Person
  listener: AgentListener | undefined
  readonly #rooms: Pick<Rooms, 'get'>
  readonly #shows: (entry: Entry) => boolean
  readonly #visits = new Map<RoomName, { readonly room: Room; readonly participant: Participant }>()
  readonly #followed = new Map<string, () => void>()
  // Serializes joins and removals, because a person may be removed from a room while their agent enters it.
  readonly #oneByOne = createSerial()
  #isOver = false

  constructor(person: Person, rooms: Pick<Rooms, 'get'>, shows: (entry: Entry) => boolean) {
    this.person = person
    this.#rooms = rooms
    this.#shows = shows
  }

  // An arrow function, because commands call it without its object.
  readonly enter = (room: Room): Promise<void> =>
    this.#oneByOne(async () => {
      if (this.#isOver || this.#visits.has(room.name)) return
      if (this.#visits.size >= MAX_ROOMS) throw new Refusal(TOO_MANY)
      const deliver = (entry: Entry): void => void (this.#shows(entry) && this.listener?.heard(entry))
      const participant = { person: this.person, deliver }
      this.#visits.set(room.name, { room, participant })
      try {
        await room.enter(participant)
        // A person who lost access meanwhile was removed before the agent was in the room: checks again.
        await this.#rooms.get(room.name, this.person)
      } catch (error) {
        await this.#leave(room.name)
        throw error
      }
    })

  leave({ name }: Room): Promise<void> {
    return this.#oneByOne(async () => {
      if (!(await this.#leave(name))) throw new Refusal(`you are not in ${name}; join it first`)
    })
  }

  /** Calls `whyNot` first. Resolves to the reason if the agent cannot follow the room. */
  async follow(name: string, whyNot: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#isOver || this.#followed.has(name)) return undefined
    return (await whyNot()) ?? (await this.#follow(name, () => true))
  }

  unfollow(name: string): boolean {
    this.#followed.get(name)?.()
    return this.#followed.delete(name)
  }

  /** Rejects with `StorageError`. */
  async sees(name: string): Promise<boolean> {
    return (await this.#rooms.get(name, this.person).catch(ignoreRefusal)) !== undefined
  }

  /** Takes the agent out of the room. Goes on following the room only if the person may still read it. */
  putOut(name: RoomName, why: string): Promise<void> {
    return this.#oneByOne(async () => {
      const wasFollowed = this.#followed.has(name)
      // Delivers nothing of the room until the person's access is known.
      if (wasFollowed) this.#silence(name)
      const wasThere = await this.#leave(name)
      if (this.#followed.has(name)) await this.#follow(name, () => this.#followed.has(name))
      const isFollowed = this.#followed.has(name)
      if (wasThere || wasFollowed) this.listener?.putOut(name, { why, isFollowed })
    })
  }

  /** Also refuses later joins. Rejects with `StorageError`. */
  leaveAll(): Promise<void> {
    return this.#oneByOne(async () => {
      this.#isOver = true
      this.listener = undefined
      for (const name of this.#followed.keys()) this.unfollow(name)
      for (const name of this.#visits.keys()) await this.#leave(name)
    })
  }

  async #leave(name: RoomName): Promise<boolean> {
    const visit = this.#visits.get(name)
    this.#visits.delete(name)
    await visit?.room.leave(visit.participant)
    return visit !== undefined
  }

  #silence(name: string): void {
    this.#followed.get(name)?.()
    this.#followed.set(name, () => {})
  }

  /** Follows a room if `isWanted` is still true once access is known. Resolves to the reason if it cannot. */
  async #follow(name: string, isWanted: () => boolean): Promise<string | undefined> {
    const deliver = (entry: Entry): void => void (this.#shows(entry) && this.listener?.changed(entry))
    try {
      const room = await this.#rooms.get(name, this.person)
      if (!isWanted()) return undefined
      this.unfollow(name)
      // Counted after `get`: hidden rooms take no place, so that nobody can detect them.
      if (this.#followed.size >= MAX_ROOMS) return TOO_MANY
      this.#followed.set(name, room.listen({ deliver }))
      await this.#rooms.get(name, this.person)
    } catch (error) {
      this.unfollow(name)
      if (error instanceof Refusal || error instanceof StorageError) return error.message
      throw error
    }
    return undefined
  }
}
