import { counted } from '../base/amounts.ts'
import { createKeyedSerial } from '../base/jobs/serial.ts'
import { Refusal } from '../words/errors.ts'
import { MAX_ROOM_NAME } from '../words/names.ts'
import type { Person, PersonId } from '../words/person.ts'
import type { RoomRecord, RoomStore } from './ports.ts'
import type { Room } from './room.ts'
import { NameTaken, type Rooms } from './rooms.ts'

/** A person's private room with a model, which answers each line of this person there. */
type TalkRoom = RoomRecord & { readonly talk: string }

interface OpenedTalk {
  readonly room: Room
  readonly isNew: boolean
}

interface TalksParts {
  readonly rooms: Pick<Rooms, 'create' | 'get'>
  readonly store: Pick<RoomStore, 'all'>
  readonly limits: { readonly talks_per_person: number }
  readonly onMade: () => void
}

/** Names that are tried for one talk before `open` gives up. */
const MAX_TRIES = 100

/** Finds talks by person and model, and never by the room's name, which may change. */
export class Talks {
  readonly #parts: TalksParts
  readonly #serially = createKeyedSerial<PersonId>()

  constructor(parts: TalksParts) {
    this.#parts = parts
  }

  /** Resolves to the talks of a person, in order of the room's name. Rejects with `StorageError`. */
  async list({ id }: Person): Promise<readonly TalkRoom[]> {
    return (await this.#parts.store.all()).filter((row): row is TalkRoom => isTalk(row) && row.owner === id)
  }

  /** Makes the talk if there is none. Rejects with `Refusal`, also for guests, and `StorageError`. */
  open(person: Person, model: string): Promise<OpenedTalk> {
    return this.#serially(person.id, async () => {
      const room = await this.#find(person, model)
      return room ? { room, isNew: false } : await this.#make(person, model)
    })
  }

  /** The oldest counts, in case two servers made one at the same time. */
  async #find(person: Person, model: string): Promise<Room | undefined> {
    const found = (await this.list(person)).filter(({ talk }) => talk === model)
    const [oldest] = found.toSorted((a, b) => a.createdAt - b.createdAt)
    return oldest && (await this.#parts.rooms.get(oldest.name, person))
  }

  async #make(person: Person, model: string): Promise<OpenedTalk> {
    const { rooms, limits, onMade } = this.#parts
    const { talks_per_person: limit } = limits
    if ((await this.list(person)).length >= limit)
      throw new Refusal(`you have ${counted(limit, 'talk')} already, which is the limit (talks_per_person)`)
    const taken = new Set((await this.#parts.store.all()).map(({ name }) => name as string))
    for (let number = 1; number <= MAX_TRIES; number++) {
      const name = talkName(person.name, model, number)
      if (taken.has(name)) continue
      try {
        const room = await rooms.create(name, person, { private: true, talk: model })
        onMade()
        return { room, isNew: true }
      } catch (error) {
        if (!(error instanceof NameTaken)) throw error
        // Another server may have made it meanwhile. Former names and names in the config are taken, too.
        const room = await this.#find(person, model)
        if (room) return { room, isNew: false }
      }
    }
    throw new Refusal(`no name for a talk with @${model} is free; delete one of your rooms`)
  }
}

const isTalk = (row: RoomRecord): row is TalkRoom => row.talk !== undefined

/** Returns `ann-qwen`, or `ann-qwen-2` for the second try, in letters that rooms' names have. */
function talkName(person: string, model: string, number: number): string {
  const ending = number === 1 ? '' : `-${number}`
  // A word that begins with - is a flag of a command.
  const name = `${person}-${model}`
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/^-+/, '')
  return `${name.slice(0, MAX_ROOM_NAME - ending.length)}${ending}`
}
