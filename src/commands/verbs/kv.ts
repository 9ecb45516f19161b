import { EXITS_KEY, NAV_KEY, valuesWithExits, visibleExits } from '../../chat/exits.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { cleanJson, isTooDeep, MAX_JSON_DEPTH } from '../../lib/clean-json.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { parseJson, type Json } from '../../lib/json.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { CHECKPOINT_KEY } from '../../prompt/checkpoint.ts'
import { SCOPE_KEY } from '../../toolbox/scoped-tools.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { Misuse } from '../usage.ts'

const KEY = /^[A-Za-z0-9_.-]{1,64}$/
const MAX_VALUE_CHARS = 16_384
const MAX_KEYS = 256

/** Keys that mean something to the server, and the commands that check what is put there. */
const OWNED_KEYS: ReadonlyMap<string, string> = new Map([
  [SCOPE_KEY, 'tools'],
  [CHECKPOINT_KEY, 'checkpoint'],
  [EXITS_KEY, 'portal'],
  [NAV_KEY, 'nav'],
])

type Values = ReadonlyMap<string, Json>

export function kvCommand(rooms: RoomStore): Command {
  return defineCommand({
    name: 'kv',
    summary: "the room's key-values, which its script can read: list, show one, set one (- removes it)",
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [
      { name: 'key', about: '1-64 of letters, digits, _, . and -', optional: true },
      { name: 'value', about: 'JSON, or text', optional: true, takes: 'rest' },
    ],
    example: 'colour "blue"',
    rights: {
      manage: 'change its key-values',
      // A bad key is refused to everybody with the same message, so rights do not matter for it.
      when: ({ key = '', value }) => value !== undefined && KEY.test(key),
    },
    async run({ person, room, args: { key, value }, flags, out }) {
      const values = await valuesFor(room, person)
      if (key === undefined) return out.line(flags.json ? safeJson(Object.fromEntries(values)) : list(values))
      if (!KEY.test(key)) throw new Refusal('a key is 1-64 of letters, digits, _, . and -')
      if (value === undefined) return out.line(show(key, values, flags.json))
      const owner = OWNED_KEYS.get(key)
      if (owner !== undefined) throw new Misuse(`${key} is set with ${owner}`, owner)
      await set(room, key, value, values)
    },
  })

  async function valuesFor(room: Room, viewer: Person): Promise<Values> {
    const values = await rooms.values(room.name)
    return valuesWithExits(values, await visibleExits(rooms, values.get(EXITS_KEY), { viewer }))
  }

  async function set(room: Room, key: string, text: string, values: Values): Promise<void> {
    const value = text.trim() === '-' ? undefined : readValue(text)
    if (value !== undefined && values.size >= MAX_KEYS && !values.has(key))
      throw new Refusal(`a room has at most ${MAX_KEYS} keys; - removes one`)
    await rooms.setValue(room.name, key, value)
  }
}

function list(values: Values): string {
  if (values.size === 0) return 'no key is set'
  return [...values].map(([key, value]) => `${key} = ${safeJson(value)}`).join('\n')
}

function show(key: string, values: Values, asJson: boolean): string {
  const value = values.get(key)
  if (asJson) return safeJson({ key, value: value ?? null })
  if (value === undefined) throw new Refusal(`the key ${key} is not set`)
  return typeof value === 'string' ? cleanText(value) : safeJson(value)
}

/** JSON where it is JSON, else the text itself. Both are cleaned. Throws `Refusal`. */
function readValue(text: string): Json {
  if (text.length > MAX_VALUE_CHARS) throw new Refusal(`a value has at most ${MAX_VALUE_CHARS} characters`)
  const value = parsedOrText(text)
  if (isTooDeep(value))
    throw new Refusal(`a value is nested at most ${MAX_JSON_DEPTH} deep; this one is deeper`)
  return cleanJson(value)
}

function parsedOrText(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
