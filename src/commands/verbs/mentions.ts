import { entryJson, entryLine, entryRow } from '../../words/entry-text.ts'
import type { Entry, EntryId, EntryKind, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { createAddressed } from '../../words/mentions.ts'
import type { Person } from '../../words/person.ts'
import { safeJson } from '../../base/json.ts'
import { arg, JSON_FLAG, type Caller } from '../command.ts'
import { listedNumber, minuteOf, verb, type Services } from './common.ts'
import { findEntry } from './turn.ts'

const MAX_SHOWN = 20
const PAGE = 200
/** Limit of lines with the person's name that are read: most address the person, some only mention it. */
const MAX_READ = 2_000

const SAID: readonly EntryKind[] = ['message', 'action', 'reply']

/** Each session's last list, so that a new mention does not change its numbers. */
const listed = new WeakMap<Person, readonly Entry[]>()

export const mentions = verb({
  name: 'mentions',
  summary:
    'list the last 20 lines that mention you, newest first, in all rooms that you may read now; N goes to the room of a line',
  flags: [JSON_FLAG],
  arguments: [arg('n', 'the number of a line in the list', { optional: true })],
  example: '2',
  async run(context, services) {
    const { person, args, flags, out } = context
    if (args.n !== undefined) return await goTo(numbered(args.n), context, services)
    const found = await newestMentions(person, services, context)
    listed.set(person, found)
    const isUnread = await unreadTest(person, found, services)
    for (const [index, entry] of found.entries()) {
      if (flags.json) out.line(safeJson({ ...entryJson(entry), unread: isUnread(entry) }))
      else {
        const mark = isUnread(entry) ? 'new  ' : ''
        out.line(`${index + 1}  ${mark}${minuteOf(entry.at, context)}  ${entry.room}  ${entryRow(entry)}`)
      }
    }
    if (found.length === 0 && !flags.json) out.line('nobody has named you in the rooms that you may read')
  },
})

const numbered = (word: string): number =>
  listedNumber(word, 'a mention has a number in the list: /mentions, then /mentions 2')

/** Goes to the room of a mention, in a session, and shows its line. Throws `Refusal` if it is not listed. */
async function goTo(
  number: number,
  context: Caller,
  services: Pick<Services, 'rooms' | 'stores' | 'talk'>,
): Promise<void> {
  const { person, session, out } = context
  const found = listed.get(person) ?? (await newestMentions(person, services, context))
  const entry = found[number - 1]
  if (!entry)
    throw new Refusal(found.length === 0 ? 'nobody has named you' : `the list has 1 to ${found.length}`)
  const room = await services.rooms.get(entry.room, person)
  const line = await findEntry(entry.id, room, { revised: true })
  if (!line) throw new Refusal('this line was taken back')
  await session?.moveTo(room)
  out.line(`${minuteOf(line.at, context)} ${entryLine(line)}`)
}

/**
 * Resolves to the newest lines that name the person, newest first. Uses the word index, so that it reads only
 * lines with the name.
 */
async function newestMentions(
  person: Person,
  { rooms, stores, talk }: Pick<Services, 'rooms' | 'stores' | 'talk'>,
  { out, signal }: Pick<Caller, 'out' | 'signal'>,
): Promise<readonly Entry[]> {
  const searched = (await rooms.list(person)).map(({ name }) => name)
  const filter = await talk.ignores.open(person)
  filter.close()
  const addressed = createAddressed()
  const isMention = (entry: Entry): boolean =>
    entry.by !== person.id && addressed(entry, person) && filter.shows(entry)
  const found: Entry[] = []
  let before: EntryId | undefined
  for (let read = 0; read < MAX_READ && !signal.aborted; read += PAGE) {
    await out.ready()
    const { entries, behind } = await stores.chat.entries.search({
      rooms: searched,
      terms: [{ text: person.name, whole: true }],
      kinds: SAID,
      limit: PAGE,
      withoutThreads: true,
      withoutAuthor: person.name,
      ...(before === undefined ? {} : { before }),
    })
    if (behind !== undefined && before === undefined) out.warn(`the newest lines may be missing: ${behind}`)
    found.push(...entries.toReversed().filter(isMention))
    before = entries[0]?.id
    if (found.length >= MAX_SHOWN || entries.length < PAGE) break
  }
  return found.slice(0, MAX_SHOWN)
}

/** Resolves to a function that is true for lines that the person has not yet seen in joined rooms. */
async function unreadTest(
  person: Person,
  found: readonly Entry[],
  { rooms, lastSeen }: Pick<Services, 'rooms' | 'lastSeen'>,
): Promise<(entry: Entry) => boolean> {
  const seen = new Map<RoomName, EntryId | undefined>()
  for (const name of new Set(found.map(({ room }) => room))) {
    const room = await rooms.get(name, person)
    // A person in the room sees its lines on the screen.
    const isThere = room.present().some(({ id }) => id === person.id)
    if (!isThere) seen.set(name, await lastSeen.find(person, name))
  }
  return ({ room, id }) => seen.has(room) && id > (seen.get(room) ?? '')
}
