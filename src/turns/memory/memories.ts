import type { Clock } from '../../base/environment.ts'
import type { Room } from '../../chat/index.ts'
import { oneLine } from '../../chat/text/index.ts'
import { Refusal } from '../../words/errors.ts'
import type { RoomName } from '../../words/entry.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { Snapshot } from '../../wrap/index.ts'
import type { AllowedPeople } from '../routines/index.ts'
import type { MemoryOwner, MemoryStore, NewMemory, StoredMemory } from './ports.ts'
import { GUEST, mayForget, type MemoryPolicy, rememberers, whyNotRemember } from './rights.ts'

/** Keys of `[limits]`. */
export interface MemoryLimits {
  readonly memories_per_room: number
  readonly memories_per_person: number
  readonly memory_chars: number
}

interface MemoriesParts {
  readonly store: MemoryStore
  readonly policy: () => MemoryPolicy
  readonly limits: MemoryLimits
  readonly clock: Clock
}

/** A room, or `me`: what the person said of themselves. */
export type RoomOrMe = Room | 'me'

/** Adds, lists and forgets memories. Methods reject with `Refusal` or `StorageError`. */
export class Memories {
  readonly #parts: MemoriesParts

  constructor(parts: MemoriesParts) {
    this.#parts = parts
  }

  /** Omits the asker's own memory in rooms that do not get it, and if somebody else's line asks. */
  async forPrompt(room: Room, asker: Person): Promise<Pick<Snapshot, 'memory' | 'memoryOfAsker'>> {
    const { store } = this.#parts
    const hasOwn = !asker.guest && asker.plainMemberOf === undefined
    const [memory, own] = await Promise.all([
      store.current({ room: room.name }),
      hasOwn ? store.current({ person: asker.id }) : [],
    ])
    const goes = own.length > 0 && (await this.goesAlong(asker, room))
    const told = memory.map(({ number, author, text }) => ({ number, author, text }))
    return {
      ...(told.length > 0 ? { memory: told } : {}),
      ...(goes ? { memoryOfAsker: own.map(({ text }) => text) } : {}),
    }
  }

  /** True if the person's own memory goes along in the room: by their choice, else if they own it. */
  async goesAlong({ id }: Person, room: Room): Promise<boolean> {
    return (await this.#parts.store.goesAlong(id, room.name)) ?? (await room.info()).owner === id
  }

  /** Keeps a person's own memory out of a room that somebody handed to them, until they say otherwise. */
  async stayOut(person: PersonId, room: RoomName): Promise<void> {
    const { store } = this.#parts
    if ((await store.goesAlong(person, room)) === undefined) await store.setGoesAlong(person, room, false)
  }

  async setGoesAlong(person: Person, room: Room, goes: boolean): Promise<void> {
    if (person.guest) throw new Refusal(GUEST)
    await this.#parts.store.setGoesAlong(person.id, room.name, goes)
  }

  /** By number, the newest version first. */
  async versions(whose: RoomOrMe, person: Person): Promise<readonly StoredMemory[]> {
    return await this.#parts.store.versions(ownerOf(whose, person))
  }

  async current(whose: RoomOrMe, person: Person): Promise<readonly StoredMemory[]> {
    return await this.#parts.store.current(ownerOf(whose, person))
  }

  rememberers(): AllowedPeople {
    return rememberers(this.#parts.policy())
  }

  /** Returns the text as it is remembered. Throws `Refusal`. */
  cleanText(raw: string): string {
    const text = oneLine(raw, this.#parts.limits.memory_chars)
    if (text === '') throw new Refusal('there is nothing to remember: the text is empty')
    return text
  }

  /** The caller checks the right: a person has it, or allowed the model's question. */
  async add(whose: RoomOrMe, person: Person, raw: string): Promise<StoredMemory> {
    if (person.guest) throw new Refusal(GUEST)
    const memory = this.#by(person, this.cleanText(raw))
    const stored = await this.#parts.store.add(ownerOf(whose, person), memory, this.#most(whose))
    return this.#unlessFull(whose, stored)
  }

  async needRight(room: Room, person: Person): Promise<void> {
    room.needVoice(person)
    const why = whyNotRemember(this.#parts.policy(), person, await room.roleOf(person))
    if (why !== undefined) throw new Refusal(why)
  }

  /** Restores the newest text of a forgotten memory, which is still that of its author. */
  async bringBack(whose: RoomOrMe, person: Person, number: number): Promise<StoredMemory> {
    const [newest, ...older] = await this.#versionsOf(whose, person, number)
    if (newest.text !== '') throw new Refusal(`${number} is remembered already`)
    const last = older.find(({ text }) => text !== '')
    if (!last) throw new Refusal(`the text of ${number} was removed for good`)
    const { text, author, person: by } = last
    const memory = { text, author, person: by, at: this.#parts.clock.now() }
    const owner = ownerOf(whose, person)
    return this.#unlessFull(whose, await this.#parts.store.change(owner, number, memory, this.#most(whose)))
  }

  async forget(whose: RoomOrMe, person: Person, number: number): Promise<void> {
    if (whose !== 'me') whose.needVoice(person)
    if (person.guest) throw new Refusal(GUEST)
    const [newest] = await this.#versionsOf(whose, person, number)
    if (newest.text === '') throw new Refusal(`${number} is forgotten already`)
    const { policy } = this.#parts
    if (whose !== 'me' && !mayForget(policy(), person, await whose.roleOf(person), newest.person))
      throw new Refusal(`only ${newest.author}, ops, the owner of the room and admins can forget ${number}`)
    await this.#parts.store.change(ownerOf(whose, person), number, this.#by(person, ''), Infinity)
  }

  async #versionsOf(
    whose: RoomOrMe,
    person: Person,
    number: number,
  ): Promise<readonly [StoredMemory, ...StoredMemory[]]> {
    const all = await this.versions(whose, person)
    const [newest, ...older] = all.filter((one) => one.number === number)
    if (newest) return [newest, ...older]
    throw new Refusal(`there is no memory ${number}; /memory lists them`)
  }

  #by(person: Person, text: string): NewMemory {
    return { text, author: person.name, person: person.id, at: this.#parts.clock.now() }
  }

  #most(whose: RoomOrMe): number {
    const { memories_per_room, memories_per_person } = this.#parts.limits
    return whose === 'me' ? memories_per_person : memories_per_room
  }

  #unlessFull(whose: RoomOrMe, stored: StoredMemory | 'full'): StoredMemory {
    if (stored !== 'full') return stored
    const [who, key] =
      whose === 'me' ? ['you have', 'memories_per_person'] : [`${whose.name} has`, 'memories_per_room']
    throw new Refusal(
      `${who} ${memories(this.#most(whose))}, which is the limit (${key}); /forget N ends one`,
    )
  }
}

const ownerOf = (whose: RoomOrMe, { id }: Person): MemoryOwner =>
  whose === 'me' ? { person: id } : { room: whose.name }

export const memories = (count: number): string => (count === 1 ? '1 memory' : `${count} memories`)
