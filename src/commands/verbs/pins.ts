import { arg } from '../command.ts'
import { announce, listedNumber, verb } from './common.ts'
import { lineCalled } from './rooms.ts'
import { findEntry } from './turn.ts'

/** Completes "only the owner of ROOM, an op or an admin can …". */
const CHANGE = 'change its pins'

export const pin = verb({
  name: 'pin',
  summary: 'pin a line under the heading of the room, which has at most three pins; models read pins, too',
  room: 'here',
  arguments: [
    arg('line', '1 for the last line (the default), 3 for the third last, or an id as in /history --json', {
      optional: true,
      usual: '1',
    }),
  ],
  rights: { manage: CHANGE },
  async run(context, { rooms }) {
    const { room, person, args } = context
    const word = args.line ?? '1'
    const id = await lineCalled(/^[1-9]\d{0,3}$/.test(word) ? `-${word}` : word, room)
    const line = await rooms.pins.add(room.name, await findEntry(id, room, { revised: true }))
    await announce(context, `${person.name} pinned a line of ${line.author}`)
  },
})

export const unpin = verb({
  name: 'unpin',
  summary: 'remove the pin with this number, or the newest pin',
  room: 'here',
  arguments: [arg('n', 'its number there', { optional: true })],
  rights: { manage: CHANGE },
  async run(context, { rooms }) {
    const { room, person, args } = context
    const place = args.n === undefined ? undefined : listedNumber(args.n, 'a pin has a number: /unpin 1')
    const line = await rooms.pins.remove(room.name, place)
    await announce(context, `${person.name} took away the pin of a line of ${line.author}`)
  },
})
