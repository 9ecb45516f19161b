import { EXITS_KEY, valuesWithExits, visibleExits } from '../../chat/exits.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { takeWord } from '../../lib/text/words.ts'
import { headOf } from '../../lib/text/characters.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { parseJson, type Json } from '../../lib/json.ts'
import { safeJson } from '../../lib/safe-json.ts'
import {
  checkKey,
  checkPlace,
  isKey,
  MAX_VALUE_CHARS,
  OWNED_KEYS,
  storable,
  SUMMARIZER_KEY,
} from '../../prompt/key-values.ts'
import type { Summaries } from '../../turns/summaries/summaries.ts'
import { type Caller, type Command, JSON_FLAG, Misuse, defineCommand } from '../command.ts'
import { needManager } from '../runner.ts'

type Values = ReadonlyMap<string, Json>

/** Characters of a value in the entry that tells of it. */
const MAX_SHOWN_CHARS = 80

/** Completes "only the owner of ROOM, an op or an admin can …". */
const CHANGE = 'change its key-values'

export function kvCommand(rooms: RoomStore, summaries: Pick<Summaries, 'checkName' | 'renamed'>): Command {
  return defineCommand({
    name: 'kv',
    summary:
      "the room's key-values, which its script can read: list, KEY shows one, KEY VALUE sets one (- removes it)",
    room: 'here',
    flags: [JSON_FLAG, { name: 'stdin', about: 'the value is all of standard input' }],
    arguments: [
      { name: 'key', about: '1-64 of letters, digits, _, . and -', optional: true },
      { name: 'value', about: 'JSON, or text', optional: true, takes: 'rest' },
    ],
    example: 'colour "blue"',
    rights: {
      manage: CHANGE,
      // A bad key is refused to everybody with the same message, so rights do not matter for it.
      when: ({ key = '', value }) => value !== undefined && isKey(key) && key !== GET,
    },
    complete: async ({ room, person, argument }) =>
      argument === 'key' ? ['list', 'set', GET, 'delete', ...(await valuesFor(room, person)).keys()] : [],
    async run({ person, room, args, flags, out, script }) {
      const values = await valuesFor(room, person)
      const { key, value: onLine, isQuestion } = meant(args, values)
      if (key === undefined) return out.line(flags.json ? safeJson(Object.fromEntries(values)) : list(values))
      checkKey(key)
      const value = onLine ?? (isQuestion ? undefined : await piped(script, flags))
      if (value === undefined) return out.line(show(key, values, flags.json))
      const owner = OWNED_KEYS.get(key)
      if (owner !== undefined) throw new Misuse(`${key} is set with ${owner}`, owner)
      if (onLine === undefined) await needManager(room, person, CHANGE)
      const stored = await set(room, key, value, values)
      const text = `${person.name} ${changeText(key, stored)}`
      await room.record({ kind: 'notice', level: 'info', author: person.name, text })
    },
  })

  async function valuesFor(room: Room, viewer: Person): Promise<Values> {
    const values = await rooms.values(room.name)
    return valuesWithExits(values, await visibleExits(rooms, values.get(EXITS_KEY), { viewer }))
  }

  /** What is stored now; undefined where the key is gone. */
  async function set(room: Room, key: string, text: string, values: Values): Promise<Json | undefined> {
    const value = text.trim() === '-' ? undefined : readValue(text)
    if (value !== undefined) checkPlace(key, values)
    if (value !== undefined && key === SUMMARIZER_KEY) summaries.checkName(value)
    await rooms.setValue(room.name, key, value)
    if (key === SUMMARIZER_KEY) await summaries.renamed(room.name)
    return value
  }
}

/** What a line says. */
interface Given {
  readonly key?: string | undefined
  readonly value?: string | undefined
  /** It only asks, whatever is piped in. */
  readonly isQuestion?: boolean
}

const GET = 'get'
const REMOVES: ReadonlySet<string> = new Set(['delete', 'del', 'rm', 'remove', 'unset'])

/**
 * `list`, `set KEY VALUE`, `get KEY` and `delete KEY` do what they look like. A key that the room has comes before such a
 * word, but `get KEY` never changes anything. Throws `Misuse`.
 */
function meant({ key, value }: Given, values: Values): Given {
  if (key === undefined || (values.has(key) && !(key === GET && value !== undefined))) return { key, value }
  if (key === 'list' && value === undefined) return {}
  const { word, rest } = takeWord(value ?? '')
  if (key === 'set') {
    if (rest.trim() === '') throw new Misuse('set takes a key and a value, as in: kv set colour "blue"')
    return { key: word, value: rest }
  }
  if (key !== GET && !REMOVES.has(key)) return { key, value }
  if (word === '' || rest.trim() !== '')
    throw new Misuse(
      `${key} takes one key, as in: kv ${key} colour; a key that is called ${key} is set with kv set`,
    )
  return key === GET ? { key: word, isQuestion: true } : { key: word, value: '-' }
}

/** The entry of a change; a long value is shown in part. */
function changeText(key: string, value: Json | undefined): string {
  if (value === undefined) return `removed the key ${key}`
  const text = safeJson(value)
  const head = headOf(text, MAX_SHOWN_CHARS)
  return `set ${key} to ${head}${head === text ? '' : '…'}`
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
  return storable(parsedOrText(text))
}

/**
 * The value that a script pipes in; undefined for none, and then the key is shown. Without `--stdin` only an input counts
 * that is there at once: it may be a terminal that never ends.
 */
async function piped(
  script: Caller['script'],
  flags: { readonly json: boolean; readonly stdin: boolean },
): Promise<string | undefined> {
  if (flags.stdin && !script) throw new Misuse('--stdin is for scripts; in a session, type the value')
  if (flags.json || !script) return undefined
  const text = (await script.stdin(flags.stdin ? 'until-end' : 'if-ready')).replace(/\r?\n$/, '')
  if (NO_TEXT.test(text))
    throw new Refusal('a value is text in UTF-8, and what was piped in is not; nothing was changed')
  if (text.trim() !== '') return text
  if (flags.stdin) throw new Refusal('standard input has no value; nothing was changed')
  return undefined
}

/** A byte of zero, and the sign in whose place a byte was that is no UTF-8. */
const NO_TEXT = /[\0\uFFFD]/

function parsedOrText(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
