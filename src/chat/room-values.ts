import { createSerial } from '../base/jobs/serial.ts'
import { isJsonObject, type Json } from '../base/json.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import { type Audience, isKnown, type RoomLookup } from './access.ts'
import type { RoomName } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { isRoomName } from '../words/names.ts'
import type { RoomStore } from './ports.ts'
import { EXITS_KEY, NAV_KEY } from '../words/room-keys.ts'

export interface Exit {
  readonly direction: string
  readonly room: RoomName
}

const MAX_EXITS_OF_ROOM = 32

const DIRECTION = /^[a-z0-9_-]{1,32}$/

export class Exits {
  readonly #rooms: RoomLookup & Pick<RoomStore, 'getValue' | 'setValue'>
  /** Serializes changes: two that read the same value would undo each other. */
  readonly #serially = createSerial()

  constructor(rooms: RoomLookup & Pick<RoomStore, 'getValue' | 'setValue'>) {
    this.#rooms = rooms
  }

  async list(room: RoomName, audience: Audience): Promise<readonly Exit[]> {
    return visibleExits(this.#rooms, await this.#rooms.getValue(room, EXITS_KEY), audience)
  }

  /** Throws `Refusal` if the audience sees no such exit. */
  async follow(room: RoomName, direction: string, audience: Audience): Promise<Exit> {
    const visible = await this.list(room, audience)
    const exit = visible.find((one) => one.direction === direction)
    if (exit) return exit
    const ways = visible.map((one) => one.direction).join(', ') || 'none'
    throw new Refusal(`there is no exit ${direction.slice(0, 40)} in ${room}; the exits are: ${ways}`)
  }

  open(room: RoomName, exit: Exit): Promise<void> {
    return this.#change(room, (all) => withExit(all, exit))
  }

  async close(room: RoomName, direction: string, audience: Audience): Promise<void> {
    await this.follow(room, direction, audience)
    await this.#change(room, (all) => all.filter((one) => one.direction !== direction))
  }

  async nav(room: RoomName): Promise<boolean> {
    return (await this.#rooms.getValue(room, NAV_KEY)) === true
  }

  setNav(room: RoomName, on: boolean): Promise<void> {
    return this.#rooms.setValue(room, NAV_KEY, on ? true : undefined)
  }

  #change(room: RoomName, next: (exits: readonly Exit[]) => readonly Exit[]): Promise<void> {
    return this.#serially(async () => {
      const exits = parseExits(await this.#rooms.getValue(room, EXITS_KEY))
      await this.#rooms.setValue(room, EXITS_KEY, exitsValue(next(exits)))
    })
  }
}

export async function visibleExits(
  rooms: RoomLookup,
  value: Json | undefined,
  audience: Audience,
): Promise<readonly Exit[]> {
  const exits = parseExits(value)
  const visible = await Promise.all(
    exits.map(async (exit) => {
      const room = await rooms.find(exit.room)
      return room !== undefined && (await isKnown(rooms, room, audience))
    }),
  )
  return exits.filter((_, index) => visible[index])
}

/** Key-values with the exits that `visibleExits` gave. Show them only so, to hide names of private rooms. */
export function valuesWithExits(
  values: ReadonlyMap<string, Json>,
  shown: readonly Exit[],
): ReadonlyMap<string, Json> {
  const seen = new Map(values)
  const exits = exitsValue(shown)
  if (exits === undefined) seen.delete(EXITS_KEY)
  else seen.set(EXITS_KEY, exits)
  return seen
}

const exitsValue = (exits: readonly Exit[]): Json | undefined =>
  exits.length === 0 ? undefined : Object.fromEntries(exits.map(({ direction, room }) => [direction, room]))

/** Returns the value of `EXITS_KEY` with a renamed room. */
export const renameInExits = (value: Json | undefined, from: RoomName, to: RoomName): Json =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([direction, room]) => [direction, room === from ? to : room]),
      )
    : (value ?? null)

/** Returns exits by direction. Omits invalid ones: anybody who manages the room can set the value. */
function parseExits(value: Json | undefined): readonly Exit[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value)
    .flatMap(([direction, room]) =>
      DIRECTION.test(direction) && typeof room === 'string' && isRoomName(room) ? [{ direction, room }] : [],
    )
    .toSorted((a, b) => (a.direction < b.direction ? -1 : 1))
    .slice(0, MAX_EXITS_OF_ROOM)
}

function withExit(exits: readonly Exit[], exit: Exit): readonly Exit[] {
  if (!DIRECTION.test(exit.direction)) {
    throw new Refusal(`"${exit.direction.slice(0, 40)}" cannot be a direction: use 1-32 of a-z, 0-9, _ and -`)
  }
  const others = exits.filter(({ direction }) => direction !== exit.direction)
  if (others.length >= MAX_EXITS_OF_ROOM)
    throw new Refusal(`a room has at most ${MAX_EXITS_OF_ROOM} exits; take one away`)
  return [...others, exit]
}

export const TODO_KEY = 'todo'

export const TODO_STATUSES = ['pending', 'in_progress', 'completed'] as const

export interface TodoItem {
  readonly content: string
  readonly status: (typeof TODO_STATUSES)[number]
}

/** Omits invalid items: anybody who manages the room can set the value. */
export function readTodo(value: Json | undefined): readonly TodoItem[] {
  const items: readonly Json[] = Array.isArray(value) ? value : []
  return items.filter(isJsonObject).flatMap(({ content, status }) => {
    const known = TODO_STATUSES.find((one) => one === status)
    return typeof content === 'string' && known ? [{ content: cleanLine(content), status: known }] : []
  })
}

/** A line an item: `[ ]`, `[~]` under way, `[x]` done. */
export const todoText = (items: readonly TodoItem[]): string =>
  items.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n') || 'The todo list is empty.'

const MARKS: Readonly<Record<TodoItem['status'], string>> = {
  pending: '[ ]',
  in_progress: '[~]',
  completed: '[x]',
}
