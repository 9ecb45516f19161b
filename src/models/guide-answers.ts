import { plainRows } from '../base/text/pages.ts'
import { askerIn, mayManage, type Asker, type DescribedCommand, type GuidePlace } from './guide-place.ts'
import { TOPICS, type TopicRow } from './guide-topics.ts'

const MOST = 3

/** `who are you?` is not a question about commands. */
const ABOUT_THE_GUIDE = /\b(?:who|what) are you\b/iu

const ASKS = /\?|^\s*(?:how|what|where|which|who|why|when|can|could|do|does|is|are|may)\b/iu

/** True for a question about something, but not for `how are you?`. */
export const isQuestion = (text: string): boolean =>
  ASKS.test(text) && !ABOUT_THE_GUIDE.test(text) && wordsOf(text).some((word) => !EMPTY_WORDS.has(word))

/** The help found for a question: the rows of a topic; else at most one hint, and commands, best first. */
export interface FoundHelp {
  readonly rows: readonly TopicRow[]
  /** What to type here for a word of another program. */
  readonly hint: string | undefined
  readonly commands: readonly DescribedCommand[]
}

type Known = Pick<GuidePlace, 'commands' | 'hint'>

/** Returns a topic's rows; else the fitting commands, and a hint for a word in no help summary. */
export function findHelp(question: string, { commands, hint }: Known): FoundHelp | undefined {
  const topic = TOPICS.find(({ asked }) => asked.test(question))
  if (topic) return { rows: topic.rows, hint: undefined, commands: [] }
  const described = commands()
  const found = hintIn(question, described, hint)
  const fitting = commandsFor(question, described)
  if (found === undefined && fitting.length === 0) return undefined
  return { rows: [], hint: found, commands: fitting }
}

/** Returns a Markdown list; undefined if nothing fits. */
export function answerFrom(question: string, context: string, known: Known): string | undefined {
  const found = findHelp(question, known)
  if (!found) return undefined
  const asker = askerIn(context)
  const lines = [
    ...found.rows.map(([type, does]) => `- \`${type}\` – ${does}`),
    // Backticks keep a name from mentioning a model.
    ...(found.hint === undefined ? [] : [`- ${found.hint.replace(/@\w+/g, '`$&`')}`]),
    ...found.commands.map((command, at) => line(command, asker, at === 0)),
  ]
  while (lines.length > 1 && rowsOf(lines) > MAX_ROWS) lines.pop()
  return lines.join('\n')
}

/** Limit of an answer's rows in a window of 80 columns. */
const MAX_ROWS = 5
const COLUMNS = 76

const rowsOf = (lines: readonly string[]): number =>
  lines.flatMap((one) => plainRows(one, COLUMNS, '  ')).length

function hintIn(
  question: string,
  commands: readonly DescribedCommand[],
  hint: GuidePlace['hint'],
): string | undefined {
  if (!isQuestion(question)) return undefined
  const wordsOfCommands = commands.map(weightedWords)
  const foreign = (question.toLowerCase().match(/\p{L}{2,}/gu) ?? []).filter((word) =>
    wordsOf(word).every(
      (stem) =>
        !EMPTY_WORDS.has(stem) && !wordsOfCommands.some((weights) => (weights.get(stem) ?? 0) > DETAIL),
    ),
  )
  return foreign.flatMap((word) => hint(word) ?? [])[0]
}

function commandsFor(question: string, commands: readonly DescribedCommand[]): readonly DescribedCommand[] {
  const texts = commands.map(weightedWords)
  const asked = wordsOf(question)
    .filter((word) => !EMPTY_WORDS.has(word))
    .map((word) => SYNONYMS.get(word) ?? word)
  const known = asked.filter((word) => texts.some((weights) => weights.has(word)))
  const names = new Set(namedIn(question).filter((word) => asked.includes(word) && !known.includes(word)))
  const isNamed = known.some((word) => texts.some((weights) => weights.get(word) === NAME))
  const unknown = asked.length - known.length - names.size
  if (known.length === 0 || ABOUT_THE_GUIDE.test(question) || (!isNamed && unknown >= known.length)) return []
  const words = new Set([...known, ...(names.size > 0 ? ['person'] : [])])
  // "talk" with a person's name means writing to that person; without a name, a talk with a model.
  if (names.size > 0 && words.delete('talk')) words.add(WRITE)
  const scored = commands
    .map((command, at) => ({ command, score: scoreOf(words, texts[at]!, texts) }))
    .toSorted((a, b) => b.score - a.score || Number(isLong(a.command)) - Number(isLong(b.command)))
  const enough = scored[0]!.score / 2
  return scored
    .slice(0, MOST)
    .filter(({ score }) => score >= enough)
    .map(({ command }) => command)
}

/** Puts `rename` before `rename-room` if both have all words of a question. */
const isLong = ({ name }: DescribedCommand): boolean => name.includes('-')

function line({ usage, summary, name, manage }: DescribedCommand, asker: Asker, isWhole: boolean): string {
  const shown = isWhole ? summary : summary.split(/[;:] /, 1)[0]
  const isManaged = manage !== undefined && !mayManage(asker)
  const isKept = asker.role === 'guest' && NOT_FOR_GUESTS.has(name)
  return [
    `- \`${usage}\` – ${shown}`,
    ...(isManaged ? [`only the owner of the room, an op or an admin can ${manage}`] : []),
    ...(isKept ? ['not for guests: log in with a name of your own'] : []),
  ].join('; ')
}

/** Commands that store something for a person. Guests are not stored. */
const NOT_FOR_GUESTS = new Set(['create', 'fork', 'invites', 'keys', 'token'])

const DETAIL = 1
const NAME = 10

/** Returns each word's weight for a command, highest in its name. */
function weightedWords(command: DescribedCommand): ReadonlyMap<string, number> {
  const weighted = [
    // A model named in an example need not exist on this server.
    [command.details.replaceAll(/@[a-z]+/g, ''), DETAIL],
    [command.group, 2],
    [command.summary, 3],
    [[command.name, ...command.aliases].join(' '), NAME],
  ] as const
  return new Map(weighted.flatMap(([text, weight]) => wordsOf(text).map((word) => [word, weight] as const)))
}

/** Rare words score higher. */
function scoreOf(
  words: ReadonlySet<string>,
  weights: ReadonlyMap<string, number>,
  all: readonly ReadonlyMap<string, number>[],
): number {
  const scoreOfWord = (word: string): number =>
    (weights.get(word) ?? 0) / Math.sqrt(all.filter((other) => other.has(word)).length || 1)
  return [...words].reduce((sum, word) => sum + scoreOfWord(word), 0)
}

/** Returns words that are names by their position, as in `talk to bob` and `kick @bob`. */
const namedIn = (question: string): readonly string[] =>
  [...question.matchAll(/(?:\b(?:to|with|from|for)\s+|@)([\p{L}\p{N}_.-]+)/giu)].flatMap(([, word = '']) =>
    wordsOf(word),
  )

/** Returns lower-case stems: `changes`, `changing` and `change` are equal. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ing|ed|ely|ly|es|e|s)$/u, '') : word.replace(/(?<=..)s$/u, ''),
  )

const EMPTY_WORDS = new Set(
  wordsOf(
    `a about an and are at be begin can could do does for from get go has have hello help here hey hi how i if in is
    it let like many me my no not of on one or our place please should so some somebody someone something start tell
    thank thanks that the there they thing this to try up us use want was we what when where which why will with
    would yes you your`,
  ),
)

const WRITE = wordsOf('write')[0]!

/** Maps words that people use to the words of the help. */
const SYNONYMS = new Map(
  Object.entries({
    message: 'write',
    send: 'write',
    chat: 'speech',
    speak: 'speech',
    name: 'rename',
  }).map(([said, known]) => [wordsOf(said)[0]!, wordsOf(known)[0]!] as const),
)
