import type { Entry } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { PINNED_KINDS, rowOf, type Room } from '../../chat/index.ts'
import { arg } from '../command.ts'
import { announce, listedNumber, verb } from './common.ts'
import { lineCalled } from './rooms.ts'
import { findEntry } from './turn.ts'

/** Completes "only the owner of ROOM, an op or an admin can …". */
const CHANGE = 'change its pins'

export const pin = verb({
  name: 'pin',
  summary:
    "put a line under the room's heading, at most three: the last one, 3 for the third last, or an id; models read pins, too",
  room: 'here',
  arguments: [
    arg('line', '1 for the last line, or an id as in /history --json', { optional: true, usual: '1' }),
  ],
  rights: { manage: CHANGE },
  async run(context, { rooms }) {
    const { room, person, args } = context
    const line = await pinnable(args.line ?? '1', room)
    await rooms.pins.add(room.name, line)
    await announce(context, `${person.name} pinned: ${rowOf(line)}`)
  },
})

/** Throws `Refusal` for a word that is no line of the room, or a line that nobody said. */
async function pinnable(word: string, room: Room): Promise<Entry> {
  const id = await lineCalled(/^[1-9]\d{0,3}$/.test(word) ? `-${word}` : word, room)
  const line = await findEntry(id, room, { revised: true })
  if (line && line.thread === undefined && PINNED_KINDS.includes(line.kind)) return line
  throw new Refusal('what people and models said can be pinned, and nothing else')
}

export const unpin = verb({
  name: 'unpin',
  summary: "take a line away from under the room's heading: the one with this number there, or the newest",
  room: 'here',
  arguments: [arg('n', 'its number there', { optional: true })],
  rights: { manage: CHANGE },
  async run(context, { rooms }) {
    const { room, person, args } = context
    const place = args.n === undefined ? undefined : listedNumber(args.n, 'a pin has a number: /unpin 1')
    const line = await rooms.pins.remove(room.name, place)
    await announce(context, `${person.name} took a pin away: ${rowOf(line)}`)
  },
})
