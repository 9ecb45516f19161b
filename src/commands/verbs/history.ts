import { entryJson, entryLine, isLongText, MOST_LINES } from '../../words/entry-text.ts'
import type { Entry, EntryId } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { EntryLog, LogStats, Room } from '../../chat/index.ts'
import { foldedLines } from '../../chat/presence/index.ts'
import { searchTerms, termsText, searchPhrase } from '../../chat/text/index.ts'
import { safeJson } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import type { StyledText } from '../../base/text/styled.ts'
import { checkpointOf } from '../../turns/index.ts'
import { CHECKPOINT_KEY } from '../../wrap/index.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type Caller } from '../command.ts'
import { announce, dateText, iso, minuteOf, numberFlag, print, verb, type Services } from './common.ts'
import { hitLines } from './hit-lines.ts'
import { logPages, type PagedLog } from './log-pages.ts'

const ENTRIES = { fallback: 50, most: 1_000 }
const COUNT_FLAG = flag('n', `how many entries: 1 to ${ENTRIES.most}, usually ${ENTRIES.fallback}`, {
  value: 'N',
})

const SEARCHED_FOR_PASTES = 100

export const history = verb({
  name: 'history',
  summary:
    'show the log of this room, oldest entry first, with times (UTC for scripts); joins and leaves in a row are one line, but one entry each with --json; paste: the whole newest text of more than 20 lines; stats: the log in numbers',
  room: 'here',
  flags: [COUNT_FLAG, flag('before', 'only entries older than this one', { value: 'ID' }), JSON_FLAG],
  arguments: [
    arg('what', 'paste: a whole long text; stats: entries by author, and tokens and calls by day', {
      optional: true,
      oneOf: ['paste', 'stats'],
    }),
  ],
  example: '-n 20',
  needsVoice: () => false,
  async run(context, { stores }) {
    const { room, args, flags, out, signal } = context
    const { name } = room
    const { entries } = stores.chat
    if (args.what === 'stats') {
      await out.ready()
      const stats = await entries.stats(name)
      return print(context, { room: name, ...stats }, statsText(name, stats))
    }
    const before = entryId(flags.before)
    const limit = numberFlag('-n', flags.n, ENTRIES)
    if (args.what === 'paste') {
      await out.ready()
      const kinds = ['message', 'reply'] as const
      const said = await entries.read(name, {
        limit: SEARCHED_FOR_PASTES,
        kinds,
        ...(before ? { before } : {}),
      })
      const pastes = said.filter(isLongText).slice(flags.n === undefined ? -1 : -limit)
      if (pastes.length === 0 && !flags.json)
        out.line(`none of the last ${SEARCHED_FOR_PASTES} messages has more than ${MOST_LINES} lines`)
      return await printEntries(pastes, context, flags.json)
    }
    const paged: PagedLog = {
      async read(query) {
        await out.ready()
        return await entries.read(name, query)
      },
      sizes: (query) => entries.sizes(name, query),
    }
    const query = { limit, ...(before ? { before } : {}) }
    const lines = flags.json ? undefined : await presenceLines(entries, name, query, out.columns)
    for await (const page of logPages(paged, limit, before)) {
      const shown = lines
        ? page.flatMap((entry) => (entry.kind === 'presence' ? (lines.get(entry.id) ?? []) : entry))
        : page
      await printEntries(shown, context, flags.json)
      if (signal.aborted) return
    }
  },
})

/** Checks a ULID, as `history --json` prints it: https://github.com/ulid/spec. Throws `Misuse`. */
function entryId(word: string | undefined): EntryId | undefined {
  if (word === undefined || /^[0-9A-HJKMNP-TV-Z]{26}$/.test(word)) return word as EntryId | undefined
  throw new Misuse(`${word.slice(0, 40)} is not the id of an entry; /history --json shows the ids`)
}

/**
 * Resolves to folded lines of joins and leaves, by the ID of each one's last entry. Folds all pages together,
 * so that page borders do not change the lines.
 */
async function presenceLines(
  log: EntryLog,
  room: Entry['room'],
  query: { readonly limit: number; readonly before?: EntryId },
  columns: number,
): Promise<ReadonlyMap<EntryId, Entry>> {
  const all = await log.sizes(room, query)
  const presence = await log.read(room, { ...query, kinds: ['presence'] })
  const byId = new Map(presence.map((entry) => [entry.id, entry]))
  return foldedLines(
    all.map(({ id }) => byId.get(id) ?? { id }),
    columns - '2026-11-21 09:41 '.length,
  )
}

/** Prints entries, each with its time, and waits until there is space for more. */
async function printEntries(
  entries: readonly Entry[],
  caller: Pick<Caller, 'out' | 'session'>,
  asJson: boolean,
  {
    hasRooms = false,
    line = entryLine,
  }: { hasRooms?: boolean; line?: (entry: Entry) => string | StyledText } = {},
): Promise<void> {
  for (const entry of entries) {
    const before = `${minuteOf(entry.at, caller)} ${hasRooms ? `${entry.room} ` : ''}`
    caller.out.line(asJson ? safeJson(entryJson(entry)) : withPrefix(before, line(entry)))
  }
  await caller.out.ready()
}

const withPrefix = (before: string, text: string | StyledText): string | StyledText =>
  typeof text === 'string'
    ? before + text
    : { lines: text.lines.map((spans, index) => (index === 0 ? [{ text: before }, ...spans] : spans)) }

/** A line about the whole log, its authors, then a line for each day. */
function statsText(room: string, { entries, first, last, authors, days }: LogStats): string {
  if (first === undefined || last === undefined) return `${room}: nothing was recorded yet`
  const width = Math.max(...authors.map(({ author }) => author.length))
  return [
    `${room}: ${entries} entries, ${dayOf(first)} to ${dayOf(last)}`,
    '',
    'who recorded them',
    ...authors.map((one) => `  ${cleanLine(one.author).padEnd(width)} ${String(one.entries).padStart(8)}`),
    '',
    `${'day (UTC)'.padEnd(12)}${['entries', 'replies', 'calls', 'tokens in', 'out'].map(inColumn).join('')}`,
    ...days.map(
      ({ day, entries: all, calls, replies, input, output }) =>
        `${day.padEnd(12)}${[all, replies, calls, input, output].map(inColumn).join('')}`,
    ),
  ].join('\n')
}

const inColumn = (value: string | number): string => String(value).padStart(11)

const dayOf = (at: number): string => iso(at).slice(0, 10)

export const search = verb({
  name: 'search',
  aliases: ['find'],
  summary:
    'the newest lines here that have all these words, marked in a session; with - first, those of all rooms that you may read',
  room: 'here-or-all',
  flags: [COUNT_FLAG, flag('best', 'the lines that fit best, instead of the newest'), JSON_FLAG],
  arguments: [
    text(
      'words',
      'in any order; a word finds longer ones that begin with it, "words in quotes" are found as they stand there; ' +
        'case and accents make no difference, and punctuation parts words',
    ),
  ],
  example: '-n 5 build green',
  async run(context, { rooms, stores, preferences }) {
    const { room, person, session, args, flags, out, signal } = context
    const limit = numberFlag('-n', flags.n, ENTRIES)
    const terms = searchTerms(args.words)
    const phrases = terms.map(({ text: words, whole }) => searchPhrase(words, whole)).filter((one) => !!one)
    const searched = room ? [room.name] : (await rooms.list(person)).map(({ name }) => name)
    let behind: string | undefined
    const read: PagedLog['read'] = async (query) => {
      await out.ready()
      const prefer = flags.best ? 'best' : 'newest'
      const found = await stores.chat.entries.search({ ...query, rooms: searched, terms, prefer })
      behind ??= found.behind
      return found.entries
    }
    const pages = flags.best ? [await read({ limit })] : logPages({ read }, limit)
    let isFound = false
    for await (const page of pages) {
      isFound ||= page.length > 0
      const line = (entry: Entry): string | StyledText =>
        session ? hitLines(entry, phrases, preferences) : entryLine(entry)
      await printEntries(page, context, flags.json, { hasRooms: !room, line })
      if (signal.aborted) return
    }
    if (behind !== undefined) out.warn(`the newest lines may be missing: ${behind}`)
    if (!isFound && !flags.json)
      out.line(`nothing ${room ? 'here' : 'in your rooms'} has ${termsText(terms)}`)
  },
})

const CHECKPOINT_NAME = /^[A-Za-z0-9_.-]{1,32}$/

/** Sets the point from which models read the conversation. Removes nothing from the log. */
export const checkpoint = verb({
  name: 'checkpoint',
  summary:
    'let models read the conversation only from here on; NAME sets the checkpoint, clear removes it; without NAME, show it',
  room: 'here',
  arguments: [arg('name', '1-32 of letters, digits, _, . and -; or clear', { optional: true })],
  example: 'release-2',
  rights: { manage: 'set its checkpoint', when: ({ name }) => name !== undefined },
  async run(context, services) {
    const { room, person, args, out } = context
    const { rooms } = services.stores.chat
    const value = await rooms.getValue(room.name, CHECKPOINT_KEY)
    if (args.name === undefined) {
      const set = checkpointOf(value)
      return out.line(
        set
          ? `${set.name}, set by ${set.by} ${dateText(set.at, context)}`
          : 'no checkpoint is set: models read the whole conversation',
      )
    }
    if (args.name !== 'clear')
      return await announce(context, await setCheckpoint(services, room, person, args.name))
    if (value === undefined) throw new Refusal('no checkpoint is set')
    await rooms.setValue(room.name, CHECKPOINT_KEY, undefined)
    await announce(context, `${person.name} cleared the checkpoint: models read the whole conversation`)
  },
})

/** Resolves to the notice for the room. Rejects with `Refusal` if nothing was said yet. */
export async function setCheckpoint(
  { stores, clock }: Services,
  room: Room,
  person: Person,
  name: string,
): Promise<string> {
  if (!CHECKPOINT_NAME.test(name))
    throw new Refusal("a checkpoint's name is 1-32 of letters, digits, _, . and -")
  const last = (await room.history({ limit: 1 })).at(-1)
  if (!last) throw new Refusal(`${room.name} has no entries yet, so models read from its beginning`)
  const by = person.name
  await stores.chat.rooms.setValue(room.name, CHECKPOINT_KEY, { name, after: last.id, by, at: clock.now() })
  return `${by} set checkpoint ${name}: models read the conversation from here on`
}
