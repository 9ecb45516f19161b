import { EXITS_KEY, exitsValue, NAV_KEY, visibleExits } from '../../chat/exits.ts'
import { Refusal, UsageError } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { cleanText } from '../../lib/clean-text.ts'
import type { Json } from '../../lib/json.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { CHECKPOINT_KEY } from '../../prompt/checkpoint.ts'
import { SCOPE_KEY } from '../../toolbox/scoped-tools.ts'
import { JSON_FLAG, type Command } from '../command.ts'
import { needManager } from '../rights.ts'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/
const LONGEST_VALUE = 16_384
const MOST_KEYS = 256

/** Keys that mean something to the server, and the commands that check what is put there. */
const owned: ReadonlyMap<string, string> = new Map([
  [SCOPE_KEY, 'tools ROOM on, off or SCOPE…'],
  [CHECKPOINT_KEY, 'checkpoint ROOM NAME'],
  [EXITS_KEY, 'portal ROOM DIRECTION TARGET'],
  [NAV_KEY, 'nav ROOM on or off'],
])

export function kvCommand(rooms: RoomStore): Command {
  return {
    name: 'kv',
    summary: "the room's key-values, which its script can read: list, show one, set one (- removes it)",
    room: 'here',
    flags: [JSON_FLAG],
    parameters: [
      { name: 'key', optional: true },
      { name: 'value', optional: true, takes: 'rest' },
    ],
    async run({ person, room, args, flags, out }) {
      const { key, value } = args
      const values = await valuesFor(room!, person)
      if (key === undefined)
        return out.line(flags['json'] ? safeJson(Object.fromEntries(values)) : list(values))
      if (!KEY.test(key)) throw new Refusal('a key is 1-64 of letters, digits, _, . and -')
      if (value === undefined) return out.line(show(key, values, flags['json'] === true))
      await needManager(room!, person, 'change its key-values')
      await set(room!, key, value, values)
    },
  }

  /** Of the exits only those that lead somewhere for who is asking: a private room's name is nobody else's. */
  async function valuesFor(room: Room, viewer: Person): Promise<ReadonlyMap<string, Json>> {
    const values = new Map(await rooms.values(room.name))
    const exits = exitsValue(await visibleExits(rooms, values.get(EXITS_KEY), { viewer }))
    if (exits === undefined) values.delete(EXITS_KEY)
    else values.set(EXITS_KEY, exits)
    return values
  }

  async function set(
    room: Room,
    key: string,
    text: string,
    values: ReadonlyMap<string, Json>,
  ): Promise<void> {
    const usage = owned.get(key)
    if (usage !== undefined) throw new UsageError(`kv: ${key} is set with ${usage.split(' ', 1)[0]}`, usage)
    const value = text.trim() === '-' ? undefined : readValue(text)
    if (value !== undefined && values.size >= MOST_KEYS && !values.has(key))
      throw new Refusal(`a room has at most ${MOST_KEYS} keys; - removes one`)
    await rooms.setValue(room.name, key, value)
  }
}

function list(values: ReadonlyMap<string, Json>): string {
  if (values.size === 0) return 'no key is set'
  return [...values].map(([key, value]) => `${key} = ${safeJson(value)}`).join('\n')
}

function show(key: string, values: ReadonlyMap<string, Json>, asJson: boolean): string {
  const value = values.get(key)
  if (asJson) return safeJson({ key, value: value ?? null })
  if (value === undefined) throw new Refusal(`the key ${key} is not set`)
  return typeof value === 'string' ? cleanText(value) : safeJson(value)
}

/** JSON where it is JSON, else the text itself. */
function readValue(text: string): Json {
  if (text.length > LONGEST_VALUE) throw new Refusal(`a value has at most ${LONGEST_VALUE} characters`)
  try {
    return JSON.parse(text) as Json
  } catch {
    return cleanText(text)
  }
}
