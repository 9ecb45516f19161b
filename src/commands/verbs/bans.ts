import type { ListedSanction } from '../../chat/moderation/acts.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { safeJson } from '../../lib/json.ts'
import { arg, defineCommand, flag, JSON_FLAG, text } from '../command.ts'
import { iso, printNotice, roomNames } from './common.ts'
import { durationAndReason } from './moderation.ts'
import type { Services, Verb } from './services.ts'

const roomFlag = (about: string) => flag('room', about, { value: 'ROOM' })
const FROM_ROOM = 'from this room only, and not from the server'
const WHO = arg('who', 'a name, a key as SHA256:…, or a network such as 10.0.0.0/8')

const roomOf = async (
  { rooms }: Services,
  name: string | undefined,
  person: Person,
): Promise<Room | undefined> => (name === undefined ? undefined : await rooms.get(name, person))

export const ban: Verb = (services) =>
  defineCommand({
    name: 'ban',
    allowedOverQuota: true,
    summary: 'keep somebody out: by name with all their keys, by key or by network',
    room: 'none',
    flags: [
      roomFlag(`${FROM_ROOM}; not the lobby, where every session begins`),
      flag('yes', 'also all addresses, or half of the people here, which is refused without it'),
    ],
    arguments: [
      WHO,
      text(
        'how',
        'for how long (30s, 10m, 2h, 7d; until it is lifted without it), then why, not beginning with a digit',
        { optional: true },
      ),
    ],
    example: '--room den bob 2h enough for today',
    complete: (where) => {
      if (where.argument === 'who') return where.room.present().map(({ name }) => name)
      return where.argument === 'room' ? roomNames(services.rooms, where) : []
    },
    async run(context) {
      const { person, args, flags } = context
      const order = { who: args.who, isSure: flags.yes, ...durationAndReason(args.how) }
      const room = await roomOf(services, flags.room, person)
      printNotice(context, await services.moderation.acts.ban(room, person, order))
    },
  })

export const unban: Verb = (services) =>
  defineCommand({
    name: 'unban',
    summary: 'lift a ban',
    room: 'none',
    flags: [roomFlag(FROM_ROOM)],
    arguments: [WHO],
    example: '--room den bob',
    complete: (where) => (where.argument === 'room' ? roomNames(services.rooms, where) : []),
    async run(context) {
      const { person, args, flags } = context
      const room = await roomOf(services, flags.room, person)
      printNotice(context, await services.moderation.acts.unban(room, person, args.who))
    },
  })

export const bans: Verb = (services) =>
  defineCommand({
    name: 'bans',
    summary: 'who is kept out of the server; with --room, who is kept out of that room or muted there',
    room: 'none',
    flags: [roomFlag('of this room, and not of the server'), JSON_FLAG],
    example: '--room den',
    async run({ person, flags, out }) {
      const all = await services.moderation.acts.bans(await roomOf(services, flags.room, person), person)
      if (flags.json) return out.line(safeJson(all.map(sanctionJson)))
      if (all.length === 0) out.line('nobody is banned')
      for (const one of all) out.line(sanctionLine(one))
    },
  })

const sanctionJson = ({ kind, room, who, names, keys, by, at, until, reason }: ListedSanction) => ({
  ...{ kind, room, who, people: names, keys, by },
  ...{ at: iso(at), until: until === null ? null : iso(until), reason },
})

/** `bob  banned by ann until 2026-01-01 00:00 UTC: spam`. */
function sanctionLine(sanction: ListedSanction): string {
  const { kind, by, until, reason } = sanction
  const done = kind === 'mute' ? 'muted' : 'banned'
  const end = until === null ? '' : ` until ${iso(until).slice(0, 16).replace('T', ' ')} UTC`
  return `${whom(sanction)}  ${done} by ${by}${end}${reason === '' ? '' : `: ${reason}`}`
}

/** The name at the time of a ban is not enough: names change, and guests' names are given again. */
function whom({ who, names, keys, network }: ListedSanction): string {
  if (network !== null) return who
  const isKey = keys.some((key) => key === who)
  if (names.length === 0) return isKey ? who : `${who}, a guest with ${keys.join(', ')}`
  const others = names.filter((name) => name !== who)
  if (others.length === 0) return who
  if (names.includes(who)) return `${who}, also ${others.join(', ')}`
  return isKey ? `${who} of ${others.join(', ')}` : `${who}, now ${others.join(', ')}`
}
