import { Refusal, UsageError } from '../chat/errors.ts'
import { EXITS_KEY } from '../chat/exits.ts'
import type { RoomStore } from '../chat/ports.ts'
import { cleanText } from '../lib/clean-text.ts'
import type { Json } from '../lib/json.ts'
import { JSON_FLAG, type Command } from './command.ts'
import { needManager } from './rights.ts'
import { SCOPE_KEY } from '../turns/view.ts'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/
const LONGEST_VALUE = 16_384
const MOST_KEYS = 256

export const kvCommand = (rooms: RoomStore): Command => ({
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
    // Exits may lead to rooms that not everybody may know of: they have commands of their own.
    if (key === EXITS_KEY)
      throw new UsageError(`kv: ${key} are shown with exits and made with portal`, 'exits')
    const values = new Map(await rooms.values(room!.name))
    values.delete(EXITS_KEY)
    if (key === undefined)
      return out.line(flags['json'] ? JSON.stringify(Object.fromEntries(values)) : list(values))
    if (!KEY.test(key)) throw new Refusal('a key is 1-64 of letters, digits, _, . and -')
    if (value === undefined) return out.line(show(key, values, flags['json'] === true))
    await needManager(room!, person, 'change its key-values')
    if (key === SCOPE_KEY)
      throw new UsageError(`kv: ${key} is set with tools`, 'tools ROOM on, off or SCOPE…')
    if (values.size >= MOST_KEYS && !values.has(key))
      throw new Refusal(`a room has at most ${MOST_KEYS} keys`)
    await rooms.setValue(room!.name, key, value.trim() === '-' ? undefined : readValue(value))
  },
})

function list(values: ReadonlyMap<string, Json>): string {
  if (values.size === 0) return 'no key is set'
  return [...values].map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join('\n')
}

function show(key: string, values: ReadonlyMap<string, Json>, asJson: boolean): string {
  const value = values.get(key)
  if (asJson) return JSON.stringify({ key, value: value ?? null })
  if (value === undefined) throw new Refusal(`the key ${key} is not set`)
  return typeof value === 'string' ? value : JSON.stringify(value)
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
