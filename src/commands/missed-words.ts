import { mentionedWords } from '../chat/mentions.ts'
import { MAX_MODEL_NAME, MAX_PERSON_NAME } from '../chat/people/name-rules.ts'
import { closest } from '../lib/suggest.ts'

/** Who can be meant by a name. */
export interface Callable {
  readonly models: readonly string[]
  /** The names of those who are in the room. */
  readonly people: readonly string[]
  /** Whether somebody has registered under a name. */
  readonly isRegistered: (name: string) => Promise<boolean>
}

/** A word with more UTF-16 units is nobody's misspelt name. */
const MAX_NAME_UNITS = Math.max(MAX_MODEL_NAME, MAX_PERSON_NAME)
const CALLED = new RegExp(`^\\s*([\\w.-]{1,${MAX_MODEL_NAME}})[:,](?=\\s)`)
/** Mentions of one message that are looked at. */
const MAX_MENTIONS = 3

/**
 * A sentence for whoever said something that looks as if it was meant for a model or the server, and was not: a misspelt
 * `@name`, a model called like a person, a command without its slash. Undefined where nothing looks so. Commands in it have
 * their slash.
 */
export async function missedWords(text: string, callable: Callable): Promise<string | undefined> {
  const bare = bareHint(text.trim().toLowerCase())
  if (bare !== undefined) return `that was said in the room; ${bare}`
  const [first = ''] = text.split('\n', 1)
  const called = CALLED.exec(first)?.[1]?.toLowerCase()
  const found = mentionedWords(first).slice(0, MAX_MENTIONS)
  if (called !== undefined && callable.models.includes(called) && !isAmong(called, found))
    return `@${called} reads what it is called for; write @${called} in place of ${called}`
  for (const { word, isFirst } of found) {
    const missed = await missedMention(word, isFirst, callable)
    if (missed !== undefined) return missed
  }
  return undefined
}

const isAmong = (name: string, found: readonly { readonly word: string }[]): boolean =>
  found.some(({ word }) => word.toLowerCase() === name)

/** Elsewhere than at the beginning, only what is nearly a name was meant as one: code is full of `@words`. */
async function missedMention(
  word: string,
  isFirst: boolean,
  { models, people, isRegistered }: Callable,
): Promise<string | undefined> {
  if (word.length > MAX_NAME_UNITS) return undefined
  const known = [...models, ...people]
  if (known.some((name) => name.toLowerCase() === word.toLowerCase())) return undefined
  const near = closest(word, known)
  if ((near === undefined && !isFirst) || (await isRegistered(word))) return undefined
  if (FOR_ALL.has(word.toLowerCase())) return 'everybody here reads what you say; @NAME calls a model'
  const hint = near === undefined ? '/who lists those who are here' : `did you mean @${near}?`
  return `no model or person called ${word}; ${hint}`
}

const FOR_ALL: ReadonlySet<string> = new Set(['all', 'everyone', 'here', 'channel'])

/** What to type instead of all that was said, where nobody says that to anybody. */
const bareHint = (text: string): string | undefined =>
  BARE_WORDS.get(text) ?? SHELL_LINES.find(([pattern]) => pattern.test(text))?.[1]

const LEAVES = '/quit leaves'

/** Commands of other programs, and ours without a slash, where they are all that was said. */
const BARE_WORDS: ReadonlyMap<string, string> = new Map([
  ...['quit', 'exit', 'logout', ':q', ':q!', ':wq'].map((word) => [word, LEAVES] as const),
  ...['help', '?', 'man'].map((word) => [word, '/help lists the commands'] as const),
  ['who', '/who lists who is here'],
  ['ls', '/rooms lists the rooms, /who the people'],
  ['rooms', '/rooms lists the rooms'],
  ['clear', '/clear clears the screen'],
  ['@', '@NAME in a message asks a model; /models lists them'],
])

/**
 * What is typed into a shell, and read by nobody. `git status` is not among it, nor is `bye`: the one is an answer to
 * somebody who asks what to type, the other what people say.
 */
const SHELL_LINES: readonly (readonly [line: RegExp, hint: string])[] = [
  [/^(?:exit|quit|logout)(?: now| \d|\(\)|;)+$/, LEAVES],
  [/^cd(?: (?:\.\.?|~|-|[~./][^ ]*))?$/, '/join NAME goes to a room, /leave back to the lobby'],
  [/^ls(?: -[a-z]+)+$/, '/rooms lists the rooms, /who the people'],
  [/^(?:sudo (?:su|-[is]|bash|sh)|su|su -|pwd|whoami)$/, 'this is no shell: /help lists the commands'],
]

/**
 * The same for a command behind the sign that other programs have for it, as in `!help` and `.join den`. `isCommand`:
 * whether there is one of that name.
 */
export function missedCommand(text: string, isCommand: (word: string) => boolean): string | undefined {
  const [, word = ''] = /^[\\!.:]([a-z]+)(?: |$)/.exec(text.trim().toLowerCase()) ?? []
  return isCommand(word)
    ? `that was said in the room; a command begins with a slash, as in /${word}`
    : undefined
}
