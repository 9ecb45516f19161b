import type { Bans } from '../../chat/moderation/bans.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Sanction } from '../../chat/moderation/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { timeAndReason } from './shared/reason.ts'
import { printTold } from './shared/told.ts'

const ROOM_FLAG = {
  name: 'room',
  about: 'from this room only, and not from the server',
  value: 'ROOM',
} as const
const WHO = { name: 'who', about: 'a name, a key as SHA256:…, or a network such as 10.0.0.0/8' } as const
const RIGHTS = { rule: 'Admins; with --room the owner of that room, its ops and admins.' } as const

type FindRoom = Pick<Rooms, 'get'>

export const banCommand = (rooms: FindRoom, bans: Pick<Bans, 'ban'>): Command =>
  defineCommand({
    name: 'ban',
    summary: 'keep somebody out: by name with all their keys, by key or by network',
    room: 'none',
    flags: [ROOM_FLAG],
    arguments: [
      WHO,
      {
        name: 'how',
        about: 'for how long (30s, 10m, 2h, 7d; until it is lifted without it), then why',
        optional: true,
        takes: 'rest',
      },
    ],
    example: '--room den bob 2h enough for today',
    rights: RIGHTS,
    complete: ({ room }) => room.present().map(({ name }) => name),
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
    rights: RIGHTS,
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
    rights: RIGHTS,
    async run({ person, flags, out }) {
      const all = await bans.list(await roomOf(flags.room, rooms, person), person)
      if (flags.json) return out.line(safeJson(all.map(sanctionJson)))
      if (all.length === 0) out.line('nobody is banned')
      for (const one of all) out.line(sanctionLine(one))
    },
  })

const roomOf = async (
  name: string | undefined,
  rooms: FindRoom,
  person: Person,
): Promise<Room | undefined> => (name === undefined ? undefined : await rooms.get(name, person))

const iso = (at: number): string => new Date(at).toISOString()

const sanctionJson = ({ kind, room, who, by, at, until, reason }: Sanction) => ({
  kind,
  room,
  who,
  by,
  at: iso(at),
  until: until === null ? null : iso(until),
  reason,
})

/** `bob  banned by ann until 2026-01-01 00:00 UTC: spam`. */
function sanctionLine({ kind, who, by, until, reason }: Sanction): string {
  const done = kind === 'mute' ? 'muted' : 'banned'
  const end = until === null ? '' : ` until ${iso(until).slice(0, 16).replace('T', ' ')} UTC`
  return `${who}  ${done} by ${by}${end}${reason === '' ? '' : `: ${reason}`}`
}
