import { mentionedWords } from '../words/mentions.ts'
import { MAX_MODEL_NAME, MAX_PERSON_NAME, TO_ALL } from '../words/names.ts'
import { closest } from '../base/suggest.ts'
import type { CallerKind } from './command.ts'

/** Commands of IRC, Slack, Discord, ssh-chat, shells and editors, and what to type here instead. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  back: 'say anything; it ends /away',
  whois: '/who lists who is here, ops and admins marked',
  'notice query': '/msg NAME TEXT writes to one person; /reply answers the last one',
  unignore: '/ignore NAME again lets you hear them',
  block: '/ignore NAME hides what they say',
  mode: '/help order lists what ops can do; /topic and /tools set up a room',
  voice: '/unmute NAME lets somebody speak again',
  'devoice timeout': '/mute NAME 10m lets somebody read, and not speak, for ten minutes',
  register: 'your key is your account; /whoami says who you are, /rename NAME takes another name',
  'identify login password': 'your key is your login; /keys list shows your keys',
  motd: 'the message of the day is shown at each login; /topic says what a room is about',
  'lastlog grep': '/search WORDS looks for words; a tool is run with /run Grep',
  'log last save scroll': '/history -n 50 lists what was said, /export writes it all',
  'window connect server': '/join NAME goes to a room; open a second ssh for another room or server',
  reconnect: '/quit leaves; ssh connects again, and ↑ brings back your lines',
  ping: '/who lists who is here; @guide hello tries a model',
  shrug: 'just type it: ¯\\_(ツ)_/¯',
  'dnd status': '/away TEXT says that you are not here; /who lists who is',
  thread: 'a room has one conversation; /create NAME makes a room beside it',
  'notify notification notifications':
    '/mentions lists who named you; /ring says what rings in this room, /set notify names an address for notices',
  'keyword keywords': '/set words postgres, invoice lets these words ring as your name does',
  'unread inbox hotlist': '/rooms says where something is new; /next goes there',
  'switch goto buffer channel enter': '/join NAME goes to a room; /rooms lists them',
  'dark light': '/set theme dark, light, mono or auto',
  inv: '/invite NAME asks somebody into this room; /invites new makes a code for a newcomer',
  'note notes': '/todo keeps a list here; /kv notes TEXT keeps a text for models',
  'look l': '/who lists who is here, /exits the ways out, /topic what the room is about',
  'reminder reminders timer alarm later':
    '/remind 10m TEXT reminds you; /remind --room ROOM WHEN TEXT is said there',
  'cron crontab schedule at recurring repeat':
    '/every mon-fri 09:00 TEXT says it again and again; /routines lists them',
  'alert alerts trigger highlight':
    '/watch WORDS @MODEL TEXT asks a model when a line has the words; /set words A, B rings for you',
  'subscribe autoreply': '/listen @MODEL lets a model answer lines that mention nobody',
  ls: '/rooms lists the rooms, /who the people, /run LS the files of this room',
  cd: '/join NAME goes to a room, /leave back to the lobby',
  pwd: 'the status line names the room; /topic says what it is about',
  cat: 'a tool reads files: /run Read',
  quiet: '/set bell off silences the terminal; /ignore NAME hides what somebody says',
  permissions: '/perms lists what tools may do here without asking',
  'config settings': '/set lists your options',
  'memories learn': '/remember TEXT tells models the text in every turn; /memory lists memories',
  'new reset': '/checkpoint NAME lets models read from here on; /create NAME makes a new room',
  compact: '/summary new sums up what was said before',
  context: '/wrap @MODEL shows what the model would be sent',
  model: '@NAME in a message asks a model; /models lists them',
  'role character bot': '/persona NAME @MODEL TEXT makes a name that asks a model with an instruction',
  'system prompt': '/vibe TEXT sets the mood of models here; /script set changes all of their prompt',
  cost: '/usage shows tokens and prices',
  'approve accept yes y 1 no n': '/allow lets a tool do what it asks, /deny does not',
  'cancel abort': '/stop stops models, as Ctrl-X does',
  regenerate: '/retry asks your last question again',
  'upload rsync': 'scp -r FILE HOST:ROOM/ puts files; ssh HOST ask ROOM @MODEL - < FILE sends a text',
  scp: 'scp works without -O: scp FILE HOST:ROOM/',
  'theme themes': '/set theme dark, light, mono or auto',
  'color colour': '/set color blue paints your name; /set color lists the colours',
  'timezone tz': '/set timezone Europe/Berlin chooses the zone of the times that you see',
  bell: '/set bell off, mention or all',
  plain: '/set plain on is for screen readers, /set plain off for the rest',
  'timestamps timestamp time date': '/set timestamps off, minutes or full, which has the date',
  'lang language': 'the server speaks English only; models answer in the language that you write in',
  stats: '/history stats counts what was said, /usage what models used',
  version: 'the operator knows: sshawl --version',
  'admin oper sudo': '/claim CODE makes the first admin, /op NAME an op of the room; /who lists them',
}

const REMOVING: ReadonlySet<string> = new Set(['retract', 'delete', 'purge', 'archive'])

/** True for a command that must not be suggested for a word that is only similar. */
export const removes = (name: string): boolean => REMOVING.has(name)

export const FOREIGN_COMMANDS: ReadonlyMap<string, string> = new Map(
  Object.entries(FOREIGN_WORDS).flatMap(([words, hint]) =>
    words.split(' ').map((word) => [word, hint] as const),
  ),
)

/** Returns what to type instead of another program's command; undefined for other words. */
export function hintForCommand(word: string, kind: CallerKind): string | undefined {
  const hint = FOREIGN_COMMANDS.get(word)
  return hint === undefined ? undefined : forCaller(hint, kind)
}

/** Returns one of our sentences with its commands as this caller types them: a script's have no slash. */
export const forCaller = (sentence: string, kind: CallerKind): string =>
  kind === 'session' ? sentence : sentence.replace(/(?<![\w/])\/(?=[a-z])/g, '')

export interface Callable {
  readonly models: readonly string[]
  /** The names of the people in the room. */
  readonly people: readonly string[]
  readonly isRegistered: (name: string) => Promise<boolean>
}

/** A word with more UTF-16 units is not a misspelt name. */
const MAX_NAME_UNITS = Math.max(MAX_MODEL_NAME, MAX_PERSON_NAME)
const CALLED = new RegExp(`^\\s*([\\w.-]{1,${MAX_MODEL_NAME}})[:,](?=\\s)`)
/** Limit of checked mentions in one message. */
const MAX_MENTIONS = 3

/**
 * Returns a hint for words that seem meant for a model or the server and did not reach it: a misspelt
 * `@name`, a model addressed like a person, a command without its slash. Undefined for other words.
 */
export async function hintForSpeech(text: string, callable: Callable): Promise<string | undefined> {
  const bare = bareHint(text.trim().toLowerCase())
  if (bare !== undefined) return `that was said in the room; ${bare}`
  const [first = ''] = text.split('\n', 1)
  const called = CALLED.exec(first)?.[1]?.toLowerCase()
  const found = mentionedWords(first).slice(0, MAX_MENTIONS)
  const isMentioned = found.some(({ word }) => word.toLowerCase() === called)
  if (called !== undefined && callable.models.includes(called) && !isMentioned)
    return `nobody was asked: write @${called}, not ${called}`
  for (const { word, isFirst } of found) {
    const missed = await hintForMention(word, isFirst, callable)
    if (missed !== undefined) return missed
  }
  return undefined
}

/** After the first word, hints only at a near miss of a name, because code is full of `@words`. */
async function hintForMention(
  word: string,
  isFirst: boolean,
  { models, people, isRegistered }: Callable,
): Promise<string | undefined> {
  if (word.length > MAX_NAME_UNITS || TO_ALL.includes(word.toLowerCase())) return undefined
  const known = [...models, ...people]
  if (known.some((name) => name.toLowerCase() === word.toLowerCase())) return undefined
  const near = closest(word, known)
  if ((near === undefined && !isFirst) || (await isRegistered(word))) return undefined
  const hint = near === undefined ? '/who lists those who are here' : `did you mean @${near}?`
  return `no model or person called ${word}; ${hint}`
}

const bareHint = (text: string): string | undefined =>
  BARE_WORDS.get(text) ?? SHELL_LINES.find(([pattern]) => pattern.test(text))?.[1]

const ALLOWING = /^(?:(?:y|yes|ok|okay|sure)[.!]?|1|allow(?: \d+)?)$/
const DENYING = /^(?:(?:n|no)[.!]?|deny(?: \d+)?)$/

/** Returns the command for a word that answers a question in other programs, such as `yes`. */
export function answerCommand(text: string): 'allow' | 'deny' | undefined {
  const word = text.trim().toLowerCase()
  return ALLOWING.test(word) ? 'allow' : DENYING.test(word) ? 'deny' : undefined
}

const LEAVES = '/quit leaves'

/** Hints for messages that consist of another program's command, or of a command here without its slash. */
const BARE_WORDS: ReadonlyMap<string, string> = new Map([
  ...['quit', 'exit', 'logout', ':q', ':q!', ':wq'].map((word) => [word, LEAVES] as const),
  ...['help', '?', 'man'].map((word) => [word, '/help lists the commands'] as const),
  ['who', '/who lists who is here'],
  ['ls', '/rooms lists the rooms, /who the people'],
  ['rooms', '/rooms lists the rooms'],
  ['clear', '/clear clears the screen'],
  ['@', '@NAME in a message asks a model; /models lists them'],
])

/** Hints for shell commands, but not for `git status` and `bye`, which may be meant for the room. */
const SHELL_LINES: readonly (readonly [line: RegExp, hint: string])[] = [
  [/^(?:exit|quit|logout)(?: now| \d|\(\)|;)+$/, LEAVES],
  [/^cd(?: (?:\.\.?|~|-|[~./][^ ]*))?$/, '/join NAME goes to a room, /leave back to the lobby'],
  [/^ls(?: -[a-z]+)+$/, '/rooms lists the rooms, /who the people'],
  [/^(?:sudo (?:su|-[is]|bash|sh)|su|su -|pwd|whoami)$/, 'this is no shell: /help lists the commands'],
]

/** Returns a hint for a command after another program's sign, as in `!help` and `.join den`. */
export function hintForBareCommand(text: string, isCommand: (word: string) => boolean): string | undefined {
  const [, word = ''] = /^[\\!.:]([a-z]+)(?: |$)/.exec(text.trim().toLowerCase()) ?? []
  return isCommand(word)
    ? `that was said in the room; a command begins with a slash, as in /${word}`
    : undefined
}
