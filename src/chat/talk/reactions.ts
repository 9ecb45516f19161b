import { cleanText } from '../../base/text/clean-text.ts'
import type { ActionEntry, Entry } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { Room } from '../room.ts'
import { createKeyedSerial } from '../../base/jobs/serial.ts'
import { emojiCalled } from './emoji-names.ts'
import { isLine, isOwn } from './own-lines.ts'

/** The number of newest lines, actions and reactions of a room among which a line is looked up. */
export const MAX_REACTION_DISTANCE = 300
export const MAX_REACTIONS_TO_LINE = 3

/** An emoji of Unicode's list, or a pictograph without its presentation selector. */
const EMOJI = new RegExp('^(?:\\p{RGI_Emoji}|\\p{Extended_Pictographic}\\uFE0F?)$', 'v')

/** Serializes the reactions in a room, so that none counts twice. */
export function createReactions() {
  const serially = createKeyedSerial<Room>()
  return {
    /** Reacts to the line `id`, or the last; the same emoji again takes it back. Throws `Refusal`. */
    react: (room: Room, person: Person, raw: string, id?: string): Promise<void> =>
      serially(room, async () => {
        const emoji = emojiOf(raw)
        const said = await room.history({
          limit: MAX_REACTION_DISTANCE,
          kinds: ['message', 'action', 'reply'],
          withoutThreads: true,
          revised: true,
        })
        const line = findLine(said, id)
        const mine = said.filter((entry) => isReaction(entry, line, person))
        const same = mine.find(({ text }) => text === emoji)
        if (same) return await takeBack(room, person, same)
        if (mine.length >= MAX_REACTIONS_TO_LINE)
          throw new Refusal(
            `you have ${MAX_REACTIONS_TO_LINE} reactions on that line, which is the limit; the same emoji again takes one back`,
          )
        await room.record({
          kind: 'action',
          author: person.name,
          by: person.id,
          text: emoji,
          reacts: line.id,
          to: line.author,
        })
      }),
  }
}

function emojiOf(raw: string): string {
  const emoji = emojiCalled(raw) ?? cleanText(raw)
  if (EMOJI.test(emoji)) return emoji
  throw new Refusal(
    'a reaction is one emoji, such as 👍, or the name of one, such as :tada:; Tab completes it',
  )
}

/** The id of the last version names the line, too. */
function findLine(said: readonly Entry[], id: string | undefined): Entry {
  const isMeant = (entry: Entry): boolean =>
    id === undefined || entry.id === id || (entry.kind === 'message' && entry.edited === id)
  const line = said.findLast((entry) => isLine(entry) && isMeant(entry))
  if (line) return line
  throw new Refusal(
    id === undefined
      ? 'nothing was said here that you could react to'
      : `there is no line ${id.slice(0, 40)} among the newest ${MAX_REACTION_DISTANCE} here; /history --json shows ids`,
  )
}

const isReaction = (entry: Entry, line: Entry, person: Person): entry is ActionEntry =>
  entry.kind === 'action' && entry.reacts === line.id && isOwn(entry, person)

async function takeBack(
  room: Room,
  { name, id: by }: Person,
  { id, text: emoji }: ActionEntry,
): Promise<void> {
  const text = `${name} took back ${emoji}`
  await room.record({ kind: 'notice', level: 'info', author: name, by, text, retracts: id })
}
