import type { Bans, ListedSanction } from '../../chat/moderation/bans.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { timeAndReason } from './shared/reason.ts'
import { printTold } from './shared/told.ts'
import { type Command, type Completing, JSON_FLAG, defineCommand } from '../command.ts'

const ROOM_FLAG = {
  name: 'room',
  about: 'from this room only, and not from the server',
  value: 'ROOM',
} as const
const WHO = { name: 'who', about: 'a name, a key as SHA256:…, or a network such as 10.0.0.0/8' } as const

type FindRoom = Pick<Rooms, 'get' | 'list'>

const completeRoom = async (rooms: FindRoom, { person, argument }: Completing): Promise<readonly string[]> =>
  argument === 'room' ? (await rooms.list(person)).map(({ name }) => name) : []

export const banCommand = (rooms: FindRoom, bans: Pick<Bans, 'ban'>): Command =>
  defineCommand({
    name: 'ban',
    protects: true,
    summary: 'keep somebody out: by name with all their keys, by key or by network',
    room: 'none',
    flags: [{ ...ROOM_FLAG, about: `${ROOM_FLAG.about}; not the lobby, where every session begins` }],
    arguments: [
      WHO,
      {
        name: 'how',
        about:
          'for how long (30s, 10m, 2h, 7d; until it is lifted without it), then why, not beginning with a digit',
        optional: true,
        takes: 'rest',
      },
    ],
    example: '--room den bob 2h enough for today',
    complete: async (here) =>
      here.argument === 'who' ? here.room.present().map(({ name }) => name) : await completeRoom(rooms, here),
    async run(context) {
      const { person, args, flags } = context
      const order = { who: args.who, ...timeAndReason(args.how) }
      printTold(context, await bans.ban(await roomOf(flags.room, rooms, person), person, order))
    },
  })

export const unbanCommand = (rooms: FindRoom, bans: Pick<Bans, 'unban'>): Command =>
  defineCommand({
    name: 'unban',
    summary: 'lift a ban',
    room: 'none',
    flags: [ROOM_FLAG],
    arguments: [WHO],
    example: '--room den bob',
    complete: (here) => completeRoom(rooms, here),
    async run(context) {
      const { person, args, flags } = context
      printTold(context, await bans.unban(await roomOf(flags.room, rooms, person), person, args.who))
    },
  })

export const bansCommand = (rooms: FindRoom, bans: Pick<Bans, 'list'>): Command =>
  defineCommand({
    name: 'bans',
    summary: 'who is kept out of the server; with --room, who is kept out of that room or muted there',
    room: 'none',
    flags: [{ ...ROOM_FLAG, about: 'of this room, and not of the server' }, JSON_FLAG],
    example: '--room den',
    async run({ person, flags, out }) {
      const all = await bans.list(await roomOf(flags.room, rooms, person), person)
      if (flags.json) return out.line(safeJson(all.map(sanctionJson)))
      if (all.length === 0) out.line('nobody is banned')
      for (const one of all) out.line(sanctionLine(one))
    },
  })

const roomOf = async (name: string | undefined, rooms: FindRoom, person: Person): Promise<Room | undefined> =>
  name === undefined ? undefined : await rooms.get(name, person)

const iso = (at: number): string => new Date(at).toISOString()

const sanctionJson = (one: ListedSanction) => ({
  kind: one.kind,
  room: one.room,
  who: one.who,
  people: one.names,
  keys: one.keys,
  by: one.by,
  at: iso(one.at),
  until: one.until === null ? null : iso(one.until),
  reason: one.reason,
})

/** `bob  banned by ann until 2026-01-01 00:00 UTC: spam`. */
function sanctionLine(sanction: ListedSanction): string {
  const { kind, by, until, reason } = sanction
  const done = kind === 'mute' ? 'muted' : 'banned'
  const end = until === null ? '' : ` until ${iso(until).slice(0, 16).replace('T', ' ')} UTC`
  return `${whom(sanction)}  ${done} by ${by}${end}${reason === '' ? '' : `: ${reason}`}`
}

/** A name changes, a guest's is lent to others later, and a key may have several: so the one it was given under is not enough. */
function whom({ who, names, keys, network }: ListedSanction): string {
  if (network !== null) return who
  const isKey = keys.some((key) => key === who)
  if (names.length === 0) return isKey ? who : `${who}, a guest with ${keys.join(', ')}`
  const others = names.filter((name) => name !== who)
  if (others.length === 0) return who
  if (names.includes(who)) return `${who}, also ${others.join(', ')}`
  return isKey ? `${who} of ${others.join(', ')}` : `${who}, now ${others.join(', ')}`
}
