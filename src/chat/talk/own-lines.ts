import type { Clock } from '../../base/environment.ts'
import type {
  ActionEntry,
  Entry,
  EntryId,
  EntryKind,
  MessageEntry,
  RoomName,
  Speaker,
} from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { messageText, type MessageLimits } from '../text/input-text.ts'
import { keyOfGuest, type Person } from '../../words/person.ts'
import type { Room } from '../room.ts'
import { createKeyedSerial } from '../../base/jobs/serial.ts'

/** The age in minutes up to which people may change their last line. */
export const EDIT_MINUTES = 15

/** The most lines after a line that may still be changed. */
export const MAX_LINES_SINCE = 300

export type OwnLines = ReturnType<typeof createOwnLines>

export interface LineReaders {
  /** Returns the model of an unfinished turn that this entry started. */
  readonly answering: (room: RoomName, entry: EntryId) => string | undefined
  /** Runs `record`. The current summary does not cover the entry then. */
  readonly forget: (room: RoomName, entry: EntryId, record: () => Promise<unknown>) => Promise<void>
}

/** A guest can change only lines since the server's start: before, the name may have been another's. */
export function createOwnLines(readers: LineReaders, limits: MessageLimits, clock: Clock) {
  const startedAt = clock.now()
  const serially = createKeyedSerial<Room>()

  async function lastLine(room: Room, person: Person): Promise<MessageEntry | ActionEntry> {
    const oldest = Math.max(clock.now() - EDIT_MINUTES * 60_000, person.guest ? startedAt : 0)
    const lines = await room.history({
      limit: MAX_LINES_SINCE,
      kinds: ['message', 'action'],
      withoutThreads: true,
      revised: true,
    })
    const isLast = (entry: Entry): boolean =>
      isLine(entry) && !isByRoutine(entry) && isOwn(entry, person) && entry.at >= oldest
    const last = lines.findLast(isLast)
    if (last?.kind !== 'message' && last?.kind !== 'action') throw new Refusal(NOTHING)
    const model = readers.answering(room.name, last.id)
    if (model === undefined) return last
    throw new Refusal(`@${model} is at work on that line; stop it, or wait until it is done`)
  }

  return {
    /** Records a new version of the last message; calls no model. Rejects with `Refusal`, as `retract`. */
    edit: (room: Room, person: Person, raw: string): Promise<void> =>
      serially(room, async () => {
        const last = await lastLine(room, person)
        const text = messageText(substitute(raw, last.text) ?? raw, limits)
        if (last.kind === 'action')
          throw new Refusal(
            'your last line is a /me line, which cannot be edited; /retract it, and write it again with /me',
          )
        if (last.text === text) throw new Refusal('your last line says that already')
        const own = { author: person.name, by: person.id } as const
        const draft = { kind: 'message', ...own, text, edits: last.id } as const
        await readers.forget(room.name, last.id, () => room.record(draft))
      }),
    /** Retracts the person's last message or action. The line before it is the last one then. */
    retract: (room: Room, person: Person): Promise<void> =>
      serially(room, async () => {
        const { id: retracts, at } = await lastLine(room, person)
        const minutes = Math.floor((clock.now() - at) / 60_000)
        // No time of day: each reader has a zone of their own.
        const when = minutes < 1 ? 'a moment' : minutes === 1 ? 'a minute' : `${minutes} minutes`
        const text = `${person.name} took back their line of ${when} ago`
        const notice = { kind: 'notice', level: 'info', author: person.name, by: person.id } as const
        const draft = { ...notice, text, retracts }
        await readers.forget(room.name, retracts, () => room.record(draft))
      }),
  }
}

/** Returns the line changed by `s/old/new/`, or `s/old/new/g`; undefined for any other text. */
function substitute(raw: string, line: string): string | undefined {
  const [, before = '', after = '', end] = /^s\/([^/]+)\/([^/]*)(?:\/(g?))?$/.exec(raw.trim()) ?? []
  if (before === '') return undefined
  if (!line.includes(before)) throw new Refusal(`your last line has no "${before}"; nothing was changed`)
  return end === 'g' ? line.replaceAll(before, () => after) : line.replace(before, () => after)
}

const NOTHING = `too late: only your line of the last ${EDIT_MINUTES} minutes can be changed, with at most ${MAX_LINES_SINCE} lines since`

/** Applies an entry as a `revised` read does: replaces edited entries, drops retracted ones and reactions. */
export function revise(entries: readonly Entry[], next: Entry): readonly Entry[] {
  if (next.kind === 'message' && next.edits !== undefined)
    return entries.map((entry) => (isFirstVersion(entry, next) ? newVersion(entry, next) : entry))
  if (next.kind === 'notice' && next.retracts !== undefined)
    return [...entries.filter((entry) => !isRemovedWith(entry, next.retracts)), next]
  if (next.kind === 'notice' && next.purged) {
    const gone = saidBy(entries, next.purged)
    return [...entries.filter(({ id }) => !gone.has(id)), next]
  }
  return [...entries, next]
}

/** The kinds of entries by which people say or do something. Decisions, such as bans, are not among them. */
const SAID: readonly EntryKind[] = [
  'message',
  'action',
  'notice',
  'tool_call',
  'tool_result',
  'file',
  'routine',
]

/** The ids of all entries that somebody said or did, and of the reactions to them. */
export function saidBy(entries: readonly Entry[], { name, id }: Speaker): ReadonlySet<EntryId> {
  const isTheirs = (entry: Entry): boolean =>
    id === undefined ? entry.author === name && isWithoutPerson(entry) : isOwn(entry, { id, name })
  const isSaid = (entry: Entry): boolean =>
    SAID.includes(entry.kind) && isTheirs(entry) && !(entry.kind === 'notice' && (entry.act ?? entry.purged))
  const ids = new Set(entries.filter(isSaid).map((entry) => entry.id))
  for (const entry of entries)
    if (entry.kind === 'action' && entry.reacts && ids.has(entry.reacts)) ids.add(entry.id)
  return ids
}

/** True for entries of guests and for entries without `by`, in old logs. */
const isWithoutPerson = ({ by }: Entry): boolean => by === undefined || keyOfGuest(by) !== undefined

const isRemovedWith = (entry: Entry, retracted: EntryId | undefined): boolean =>
  entry.id === retracted || (entry.kind === 'action' && entry.reacts === retracted)

const isFirstVersion = (entry: Entry, { edits }: MessageEntry): entry is MessageEntry =>
  entry.kind === 'message' && entry.id === edits

const newVersion = (entry: MessageEntry, { id, text }: MessageEntry): MessageEntry => ({
  ...entry,
  text,
  edited: id,
})

export const isLine = (entry: Entry): boolean =>
  (entry.kind === 'message' && entry.edits === undefined) ||
  (entry.kind === 'action' && entry.reacts === undefined) ||
  entry.kind === 'reply'

const isByRoutine = (entry: Entry): boolean => entry.kind === 'message' && entry.routine !== undefined

/** True if this person said or did it, under any name. An entry of an old log has only the name. */
export const isOwn = ({ by, author }: Entry, { id, name }: Pick<Person, 'id' | 'name'>): boolean =>
  by === undefined ? author === name : by === id
