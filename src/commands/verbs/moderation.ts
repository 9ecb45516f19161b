import { Refusal } from '../../words/errors.ts'
import { mayManage, type Room } from '../../chat/index.ts'
import { oneLine } from '../../chat/text/index.ts'
import type { ActResult, ListedSanction } from '../../chat/moderation/index.ts'
import type { Person } from '../../words/person.ts'
import { parseDuration } from '../../base/amounts.ts'
import { skeleton } from '../../base/text/names.ts'
import { takeWord } from '../../base/text/words.ts'
import {
  arg,
  flag,
  JSON_FLAG,
  Misuse,
  text,
  type ArgumentSpec,
  type Caller,
  type RoomContext,
} from '../command.ts'
import {
  dateText,
  iso,
  peopleIn,
  peopleToReach,
  print,
  printNotice,
  roomNames,
  type Services,
  verb,
  type Verb,
} from './common.ts'
import { whyNoCodes } from './invites.ts'

interface ManagerVerb {
  readonly name: string
  readonly summary: string
  readonly target: string
  readonly more?: ArgumentSpec & { readonly optional: true }
  /** `bob` if absent. */
  readonly example?: string
  /** Completes "only the owner of ROOM, an op or an admin can …". */
  readonly manage: string
  readonly allowedOverQuota?: true
  act(services: Services, context: RoomContext, name: string, more: string | undefined): Promise<ActResult>
}

/** A verb that acts on one person, for managers of the room; it prints the notice of the act. */
const managerVerb = ({ target, more, manage, act, example = 'bob', ...facts }: ManagerVerb): Verb =>
  verb({
    ...facts,
    example,
    room: 'here',
    arguments: [arg('name', target), ...(more ? [more] : [])],
    rights: { manage },
    needsVoice: () => false,
    complete: { name: peopleIn },
    async run(context, services) {
      const { name, ...others } = context.args
      printNotice(context, await act(services, context, name, more && others[more.name]))
    },
  })

export const op = managerVerb({
  name: 'op',
  summary: 'give a person the right to manage the room with you',
  target: 'a registered person',
  manage: 'make ops',
  act: ({ moderation }, { room, person }, name) => moderation.memberships.op(room, person, name),
})

export const owner = verb({
  name: 'owner',
  summary: 'hand the room over to a new owner; the former owner stays as an op',
  room: 'here',
  arguments: [
    arg(
      'name',
      'a member, or in a public room a person who is there; an admin may name any person who was here before',
    ),
  ],
  example: 'bob',
  needsVoice: () => false,
  complete: { name: peopleToReach },
  async run(context, { moderation, memories }) {
    const { room, person, args } = context
    const handedOver = await moderation.memberships.handOver(room, person, args.name)
    const { owner: newOwner } = await room.info()
    if (newOwner !== null) await memories.stayOut(newOwner, room.name)
    printNotice(context, handedOver)
  },
})

export const deop = managerVerb({
  name: 'deop',
  summary: 'take the rights of an op back',
  target: 'the op',
  manage: 'unmake ops',
  act: ({ moderation }, { room, person }, name) => moderation.memberships.deop(room, person, name),
})

export const kick = managerVerb({
  name: 'kick',
  allowedOverQuota: true,
  summary: 'send a person out of the room; they may join again',
  target: 'a person in the room',
  more: text('reason', 'the reason, which the person and the room read', { optional: true }),
  example: 'bob enough for today',
  manage: 'kick people',
  act: ({ moderation }, { room, person }, name, reason) =>
    moderation.acts.kick(room, person, name, reasonOf(reason)),
})

export const mute = managerVerb({
  name: 'mute',
  allowedOverQuota: true,
  summary: 'let a person read here but not speak',
  target: 'any person, here or not',
  more: arg('duration', 'how long, such as 30s, 10m, 2h or 7d; if absent, until /unmute', { optional: true }),
  example: 'bob 10m',
  manage: 'mute people',
  act: ({ moderation }, { room, person }, name, duration) =>
    moderation.acts.mute(room, person, name, duration === undefined ? undefined : durationOf(duration)),
})

export const unmute = managerVerb({
  name: 'unmute',
  summary: 'let a muted person speak here again',
  target: 'a person who is muted',
  manage: 'unmute people',
  act: ({ moderation }, { room, person }, name) => moderation.acts.unmute(room, person, name),
})

export const uninvite = managerVerb({
  name: 'uninvite',
  summary: 'cancel an invitation to this private room, or remove a member from it',
  target: 'the invited person, or the member',
  manage: 'take people out of it',
  act: ({ moderation }, { room, person }, name) => moderation.memberships.uninvite(room, person, name),
})

export const invite = verb({
  name: 'invite',
  summary: 'invite a person to this private room; they are notified at once, or at their next login',
  room: 'here',
  arguments: [arg('name', 'a person who was here before')],
  example: 'bob',
  complete: { name: peopleToReach },
  async run({ person, room, args, out }, services) {
    const { stores, invitations, clock, moderation, talk } = services
    const { rooms, people } = stores.chat
    if (!(await room.info()).private)
      throw new Refusal(
        `${room.name} is public: anybody can /join ${room.name}; /invites new lets a newcomer in`,
      )
    if (!mayManage(await room.roleOf(person))) throw new Refusal('only the owner or an op can invite people')
    const name = args.name.replace(/^@/, '')
    const guest = await people.bySkeleton(skeleton(name), clock.now())
    if (!guest) throw new Refusal(await unknownGuest(services, person, room, name))
    moderation.memberships.needInvitable(room, guest)
    const already = await rooms.membership(room.name, guest.id)
    if (already)
      throw new Refusal(`${guest.name} is ${already === 'invited' ? 'invited' : 'a member'} already`)
    // An ignored person could send text as room names. The invitation is still in /rooms.
    if (!(await talk.ignores.isIgnored(guest, person))) await invitations.prepare(room, guest, person)
    await rooms.setMembership(room.name, guest.id, 'invited')
    await invitations.tell(guest)
    const text = `${person.name} invited ${guest.name}`
    const act = { verb: 'invite', who: guest.name } as const
    await room.record({ kind: 'notice', level: 'info', author: person.name, text, act })
    out.line(`${guest.name} may join ${room.name} now`)
  },
})

async function unknownGuest(services: Services, by: Person, room: Room, name: string): Promise<string> {
  const unknown = `nobody called ${name} has registered here`
  if ((await whyNoCodes(services, by)) !== undefined) return unknown
  return `${unknown}; /invites new ${room.name} makes a code for somebody new`
}

const MAX_REASON_CHARS = 200

/** A reason on one line, empty if none was given. Throws `Refusal` if it is too long. */
const reasonOf = (words = ''): string => oneLine(words, MAX_REASON_CHARS)

/** Milliseconds of `30s`, `10m`, `2h` or `7d`. Throws `Misuse`. */
function durationOf(word: string, advice = ''): number {
  const ms = parseDuration(word)
  if (ms !== undefined) return ms
  throw new Misuse(`${word.slice(0, 40)} is no duration; write 30s, 10m, 2h or 7d, at most 3650d${advice}`)
}

/**
 * Parses `2h spam`: an optional duration, then a reason. A first word that begins with a digit must be a
 * duration: if `5min` were a reason, the ban would never end. Throws `Misuse`.
 */
function durationAndReason(words = ''): { readonly ms: number | undefined; readonly reason: string } {
  const { word, rest } = takeWord(words.trimStart())
  if (!/^[+-]?\p{Nd}/u.test(word)) return { ms: undefined, reason: reasonOf(words) }
  return { ms: durationOf(word, '. A reason begins with another word'), reason: reasonOf(rest) }
}

const roomFlag = (about: string) => flag('room', about, { value: 'ROOM' })
const FROM_ROOM = 'lifts the ban from this room only, not from the server'
const WHO = arg('who', 'a name, a key as SHA256:…, or a network such as 10.0.0.0/8')

const roomOf = async (
  { rooms }: Services,
  name: string | undefined,
  person: Person,
): Promise<Room | undefined> => (name === undefined ? undefined : await rooms.get(name, person))

export const ban = verb({
  name: 'ban',
  allowedOverQuota: true,
  summary: 'ban a person by name (with all their keys), a key or a network',
  flags: [
    roomFlag('bans from this room only, not from the server; not possible for the lobby'),
    flag(
      'yes',
      'confirms a ban of all addresses, or of half of the people here, which is refused without this flag',
    ),
  ],
  arguments: [
    WHO,
    text(
      'how',
      'how long, such as 30s, 10m, 2h or 7d (if absent, until /unban), then the reason, which must not begin with a digit',
      { optional: true },
    ),
  ],
  example: '--room den bob 2h enough for today',
  complete: { who: peopleIn, room: roomNames },
  async run(context, services) {
    const { person, args, flags } = context
    const order = { who: args.who, isSure: flags.yes, ...durationAndReason(args.how) }
    const room = await roomOf(services, flags.room, person)
    printNotice(context, await services.moderation.acts.ban(room, person, order))
  },
})

export const unban = verb({
  name: 'unban',
  summary: 'lift a ban',
  flags: [roomFlag(FROM_ROOM)],
  arguments: [WHO],
  example: '--room den bob',
  complete: { room: roomNames },
  async run(context, services) {
    const { person, args, flags } = context
    const room = await roomOf(services, flags.room, person)
    printNotice(context, await services.moderation.acts.unban(room, person, args.who))
  },
})

export const bans = verb({
  name: 'bans',
  summary:
    'list the people, keys and networks that are banned from the server; with --room, those banned or muted in that room',
  flags: [roomFlag('lists the bans and mutes of this room, not of the server'), JSON_FLAG],
  example: '--room den',
  async run(context, services) {
    const { person, flags } = context
    const all = await services.moderation.acts.bans(await roomOf(services, flags.room, person), person)
    print(
      context,
      all.map(sanctionJson),
      all.length > 0 ? all.map((sanction) => sanctionLine(sanction, context)) : 'nobody is banned',
    )
  },
})

const sanctionJson = ({ kind, room, who, names, keys, by, at, until, reason }: ListedSanction) => ({
  kind,
  room,
  who,
  people: names,
  keys,
  by,
  at: iso(at),
  until: until === null ? null : iso(until),
  reason,
})

/** `bob  banned by ann until 1 Jan 2026 00:00 UTC: spam`. */
function sanctionLine(sanction: ListedSanction, caller: Caller): string {
  const { kind, by, until, reason } = sanction
  const done = kind === 'mute' ? 'muted' : 'banned'
  const end = until === null ? '' : ` until ${dateText(until, caller)}`
  return `${targetText(sanction)}  ${done} by ${by}${end}${reason === '' ? '' : `: ${reason}`}`
}

/** Adds current names and keys to the name of the ban: names change, and guests' names are reused. */
function targetText({ who, names, keys, network }: ListedSanction): string {
  if (network !== null) return who
  const isKey = keys.some((key) => key === who)
  if (names.length === 0) return isKey ? who : `${who}, a guest with ${keys.join(', ')}`
  const others = names.filter((name) => name !== who)
  if (others.length === 0) return who
  if (names.includes(who)) return `${who}, also ${others.join(', ')}`
  return isKey ? `${who} of ${others.join(', ')}` : `${who}, now ${others.join(', ')}`
}
