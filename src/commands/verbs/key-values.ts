import { Refusal } from '../../words/errors.ts'
import { valuesWithExits, visibleExits, readTodo, TODO_KEY, todoText, type Room } from '../../chat/index.ts'
import { EXITS_KEY } from '../../words/room-keys.ts'
import type { Person } from '../../words/person.ts'
import { parseJson, type Json, safeJson } from '../../base/json.ts'
import { headOf } from '../../base/text/characters.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { takeWord } from '../../base/text/words.ts'
import {
  checkKey,
  checkPlace,
  isKey,
  MAX_VALUE_CHARS,
  OWNED_KEYS,
  toStorable,
  SUMMARIZER_KEY,
} from '../../wrap/index.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type Caller } from '../command.ts'
import { needManager } from '../runner.ts'
import { print, tellRoom, verb, type Services } from './common.ts'

type Values = ReadonlyMap<string, Json>

/** Limit of a value's characters in the notice about its change. */
const MAX_SHOWN_CHARS = 80

/** Completes "only the owner of ROOM, an op or an admin can …". */
const CHANGE = 'change its key-values'

export const kv = verb({
  name: 'kv',
  summary:
    'the key-values of the room, which its script can read: list them all, KEY shows one, KEY VALUE sets one (- removes it)',
  room: 'here',
  flags: [JSON_FLAG, flag('stdin', 'reads the value from standard input')],
  arguments: [
    arg('key', '1-64 of letters, digits, _, . and -', { optional: true }),
    text('value', 'JSON, or text', { optional: true }),
  ],
  example: 'colour "blue"',
  rights: {
    manage: CHANGE,
    // A bad key is refused to everybody with the same message, so rights do not matter for it.
    when: ({ key = '', value }) => value !== undefined && isKey(key) && key !== GET,
  },
  complete: {
    key: async ({ room, person }, services) => [
      ...['list', 'set', GET, 'delete'],
      ...(await valuesFor(services, room, person)).keys(),
    ],
  },
  async run({ person, room, args, flags, out, script }, services) {
    const values = await valuesFor(services, room, person)
    const { key, value: onLine, isQuestion } = readWords(args, values)
    if (key === undefined) return out.line(flags.json ? safeJson(Object.fromEntries(values)) : list(values))
    checkKey(key)
    const value = onLine ?? (isQuestion ? undefined : await pipedValue(script, flags))
    if (value === undefined) return out.line(show(key, values, flags.json))
    const owner = OWNED_KEYS.get(key)
    if (owner !== undefined) throw new Misuse(`${key} is set with ${owner}`, owner)
    if (onLine === undefined) await needManager(room, person, CHANGE)
    const stored = await setValue(services, room, key, value, values)
    await tellRoom(room, person, `${person.name} ${changeText(key, stored)}`)
  },
})

async function valuesFor({ stores }: Services, room: Room, viewer: Person): Promise<Values> {
  const { rooms } = stores.chat
  const values = await rooms.values(room.name)
  return valuesWithExits(values, await visibleExits(rooms, values.get(EXITS_KEY), { viewer }))
}

/** Resolves to the stored value; undefined if the key was removed. */
async function setValue(
  { stores, summaries }: Services,
  room: Room,
  key: string,
  words: string,
  values: Values,
): Promise<Json | undefined> {
  const value = words.trim() === '-' ? undefined : readValue(words)
  if (value !== undefined) checkPlace(key, values)
  if (value !== undefined && key === SUMMARIZER_KEY) summaries.checkName(value)
  await stores.chat.rooms.setValue(room.name, key, value)
  if (key === SUMMARIZER_KEY) await summaries.summarizerChanged(room.name)
  return value
}

interface KvArguments {
  readonly key?: string | undefined
  readonly value?: string | undefined
  /** True if the value is only read, even if text is piped in. */
  readonly isQuestion?: boolean
}

const GET = 'get'
const REMOVES: ReadonlySet<string> = new Set(['delete', 'del', 'rm', 'remove', 'unset'])

/**
 * Understands `list`, `set KEY VALUE`, `get KEY` and `delete KEY`. A key of the room with such a name takes
 * precedence, but `get KEY` never changes anything. Throws `Misuse`.
 */
function readWords({ key, value }: KvArguments, values: Values): KvArguments {
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

/** Returns the notice of a change, with the beginning of a long value. */
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

/** Returns parsed JSON, else the text itself, both sanitized. Throws `Refusal`. */
function readValue(text: string): Json {
  if (text.length > MAX_VALUE_CHARS) throw new Refusal(`a value has at most ${MAX_VALUE_CHARS} characters`)
  return toStorable(parsedOrText(text))
}

/**
 * Resolves to the value that a script pipes in; undefined for none, so that the key is shown. Without
 * `--stdin` the input must have data at once: it may be a terminal that never ends.
 */
async function pipedValue(
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

/** A NUL byte, or the character that replaced invalid UTF-8. */
const NO_TEXT = /[\0\uFFFD]/

function parsedOrText(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

export const todo = verb({
  name: 'todo',
  summary: 'show the todo list of the room, which models write',
  room: 'here',
  flags: [JSON_FLAG],
  needsVoice: () => false,
  async run(context, { stores }) {
    const { name } = context.room
    const items = readTodo(await stores.chat.rooms.getValue(name, TODO_KEY))
    print(context, { room: name, todo: items }, todoText(items))
  },
})
