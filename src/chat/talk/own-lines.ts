import type { ActionEntry, Entry, EntryId, MessageEntry, RoomName } from '../entry.ts'
import { Refusal } from '../errors.ts'
import { messageText, type MessageLimits } from '../input-text.ts'
import type { Person } from '../people/person.ts'
import type { Clock } from '../ports.ts'
import type { Room } from '../room.ts'
import { createKeyedSerial } from '../../lib/jobs/serial.ts'

/** How long somebody may change a line of theirs, in minutes, and how many lines may have been said since. */
export const EDIT_MINUTES = 15
export const MAX_LINES_SINCE = 300

/** What people may do with the last line that they said in a room. */
export type OwnLines = ReturnType<typeof createOwnLines>

/** The models and summaries that read lines. */
export interface LineReaders {
  /** The name of a model whose turn was started by this entry and is not over. */
  readonly answering: (room: RoomName, entry: EntryId) => string | undefined
  /** Runs `record`, so that no summary is left, or made meanwhile, that knows more of the entry than the log does then. */
  readonly forget: (room: RoomName, entry: EntryId, record: () => Promise<unknown>) => Promise<void>
}

/** What people change is held to the limits of what they say. A guest name may have been somebody else's before `clock` was first asked. */
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
    const last = lines.findLast((entry) => isLine(entry) && isOwn(entry, person) && entry.at >= oldest)
    if (last?.kind !== 'message' && last?.kind !== 'action') throw new Refusal(NOTHING)
    const model = readers.answering(room.name, last.id)
    if (model === undefined) return last
    throw new Refusal(`@${model} is at work on that line; stop it, or wait until it is done`)
  }

  return {
    /** Records a new version of the person's last message. It calls no model. Rejects with `Refusal`, as `retract`. */
    edit: (room: Room, person: Person, raw: string): Promise<void> =>
      serially(room, async () => {
        const text = messageText(raw, limits)
        const last = await lastLine(room, person)
        if (last.kind === 'action')
          throw new Refusal('your last line says what you do; /retract it, and say it anew with /me')
        if (last.text === text) throw new Refusal('your last line says that already')
        const own = { author: person.name, by: person.id } as const
        const draft = { kind: 'message', ...own, text, edits: last.id } as const
        await readers.forget(room.name, last.id, () => room.record(draft))
      }),
    /** Records that the person's last message or action is taken back. After that the one before it is the last. */
    retract: (room: Room, person: Person): Promise<void> =>
      serially(room, async () => {
        const { id: retracts, at } = await lastLine(room, person)
        const said = new Date(at).toISOString().slice(11, 16)
        const text = `${person.name} took back a line, the last one of theirs, of ${said} UTC`
        const notice = { kind: 'notice', level: 'info', author: person.name, by: person.id } as const
        const draft = { ...notice, text, retracts }
        await readers.forget(room.name, retracts, () => room.record(draft))
      }),
  }
}

const NOTHING = `you have said nothing here in the last ${EDIT_MINUTES} minutes that could be changed, or more than ${MAX_LINES_SINCE} lines were said since`

/**
 * The entries once another one has come, as a log that is read `revised` gives them: a new version takes the place of the
 * first, what is taken back is gone, with the reactions to it, and everything else is the last. Entries that are not there are not revised.
 */
export function revise(entries: readonly Entry[], next: Entry): readonly Entry[] {
  if (next.kind === 'message' && next.edits !== undefined)
    return entries.map((entry) => (isFirstVersion(entry, next) ? newVersion(entry, next) : entry))
  if (next.kind === 'notice' && next.retracts !== undefined)
    return [...entries.filter((entry) => !isGoneWith(entry, next.retracts)), next]
  return [...entries, next]
}

const isGoneWith = (entry: Entry, retracted: EntryId | undefined): boolean =>
  entry.id === retracted || (entry.kind === 'action' && entry.reacts === retracted)

const isFirstVersion = (entry: Entry, { edits }: MessageEntry): entry is MessageEntry =>
  entry.kind === 'message' && entry.id === edits

const newVersion = (entry: MessageEntry, { id, text }: MessageEntry): MessageEntry => ({
  ...entry,
  text,
  edited: id,
})

/** True for a line that somebody said: a reaction to a line, or a later version of one, is no line of its own. */
export const isLine = (entry: Entry): boolean =>
  (entry.kind === 'message' && entry.edits === undefined) ||
  (entry.kind === 'action' && entry.reacts === undefined) ||
  entry.kind === 'reply'

/** True if this person said or did it, under whatever name. An entry of an old log has only the name. */
export const isOwn = ({ by, author }: Entry, { id, name }: Pick<Person, 'id' | 'name'>): boolean =>
  by === undefined ? author === name : by === id
