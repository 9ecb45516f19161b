import { Refusal } from '../../chat/errors.ts'
import { mayManage } from '../../chat/access.ts'
import { oneLine } from '../../chat/input-text.ts'
import type { ActResult } from '../../chat/moderation/acts.ts'
import { parseDuration } from '../../lib/amounts.ts'
import { skeleton } from '../../lib/text/names.ts'
import { takeWord } from '../../lib/text/words.ts'
import { arg, defineCommand, Misuse, text, type ArgumentSpec, type Command, type Here } from '../command.ts'
import { completePeople, printNotice } from './common.ts'
import type { Verb } from './services.ts'

interface ManagerVerb {
  readonly name: string
  readonly summary: string
  readonly whom: string
  readonly more?: ArgumentSpec & { readonly optional: true }
  readonly example: string
  /** Completes "only the owner of ROOM, an op or an admin can …". */
  readonly manage: string
  readonly allowedOverQuota?: true
  act(context: Here, name: string, more: string | undefined): Promise<ActResult>
}

/** A verb that acts on one person, for managers of the room; it prints the notice of the act. */
const managerVerb = ({ whom, more, manage, act, ...facts }: ManagerVerb): Command =>
  defineCommand({
    ...facts,
    room: 'here',
    arguments: [arg('name', whom), ...(more ? [more] : [])],
    rights: { manage },
    needsVoice: () => false,
    complete: completePeople,
    async run(context) {
      const { name, ...others } = context.args
      printNotice(context, await act(context, name, more && others[more.name]))
    },
  })

export const op: Verb = ({ moderation }) =>
  managerVerb({
    name: 'op',
    summary: 'let somebody manage the room with you',
    whom: 'of somebody who has registered here',
    example: 'bob',
    manage: 'make ops',
    act: ({ room, person }, name) => moderation.memberships.op(room, person, name),
  })

export const deop: Verb = ({ moderation }) =>
  managerVerb({
    name: 'deop',
    summary: "take an op's rights back",
    whom: 'of the op',
    example: 'bob',
    manage: 'unmake ops',
    act: ({ room, person }, name) => moderation.memberships.deop(room, person, name),
  })

export const kick: Verb = ({ moderation }) =>
  managerVerb({
    name: 'kick',
    allowedOverQuota: true,
    summary: 'send somebody out of the room; they may come back',
    whom: 'of somebody in the room',
    more: text('reason', 'what they and the room are told', { optional: true }),
    example: 'bob enough for today',
    manage: 'kick people',
    act: ({ room, person }, name, reason) => moderation.acts.kick(room, person, name, reasonOf(reason)),
  })

export const mute: Verb = ({ moderation }) =>
  managerVerb({
    name: 'mute',
    allowedOverQuota: true,
    summary: 'somebody may read here, and not speak',
    whom: 'of anybody, here or not',
    more: arg('duration', '30s, 10m, 2h, 7d; until it is undone without it', { optional: true }),
    example: 'bob 10m',
    manage: 'mute people',
    act: ({ room, person }, name, duration) =>
      moderation.acts.mute(room, person, name, duration === undefined ? undefined : durationOf(duration)),
  })

export const unmute: Verb = ({ moderation }) =>
  managerVerb({
    name: 'unmute',
    summary: 'somebody may speak here again',
    whom: 'of somebody who is muted',
    example: 'bob',
    manage: 'unmute people',
    act: ({ room, person }, name) => moderation.acts.unmute(room, person, name),
  })

export const uninvite: Verb = ({ moderation }) =>
  managerVerb({
    name: 'uninvite',
    summary: 'take back an invitation to this private room, or take a member out of it',
    whom: 'of the invited, or of the member',
    example: 'bob',
    manage: 'take people out of it',
    act: ({ room, person }, name) => moderation.memberships.uninvite(room, person, name),
  })

export const invite: Verb = ({ stores, invitations, clock, moderation, talk }) =>
  defineCommand({
    name: 'invite',
    summary: 'let somebody into this private room; they are told at once, or as they come in next',
    room: 'here',
    arguments: [arg('name', 'of somebody who was here before')],
    example: 'bob',
    complete: completePeople,
    async run({ person, room, args, out }) {
      const { rooms, people } = stores.chat
      if (!(await room.info()).private)
        throw new Refusal(`${room.name} is public: anybody can /join ${room.name}`)
      if (!mayManage(await room.roleOf(person)))
        throw new Refusal('only the owner or an op can invite people')
      const guest = await people.bySkeleton(skeleton(args.name), clock.now())
      if (!guest) throw new Refusal(`nobody called ${args.name} has registered here`)
      moderation.memberships.needInvitable(room, guest)
      const already = await rooms.membership(room.name, guest.id)
      if (already)
        throw new Refusal(`${guest.name} is ${already === 'invited' ? 'invited' : 'a member'} already`)
      // An ignored person could write with the names of rooms. The invitation is in /rooms.
      if (!(await talk.ignores.isIgnored(guest, person))) await invitations.prepare(room, guest, person)
      await rooms.setMembership(room.name, guest.id, 'invited')
      await invitations.tell(guest)
      const text = `${person.name} invited ${guest.name}`
      const act = { verb: 'invite', who: guest.name } as const
      await room.record({ kind: 'notice', level: 'info', author: person.name, text, act })
      out.line(`${guest.name} may join ${room.name} now`)
    },
  })

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
 * `2h spam`: a duration, if there is one, and a reason. A word that begins with a digit is a duration,
 * `5min` too: read as a reason, it would last for ever. Throws `Misuse`.
 */
export function durationAndReason(words = ''): { readonly ms: number | undefined; readonly reason: string } {
  const { word, rest } = takeWord(words.trimStart())
  if (!/^[+-]?\p{Nd}/u.test(word)) return { ms: undefined, reason: reasonOf(words) }
  return { ms: durationOf(word, '. A reason begins with another word'), reason: reasonOf(rest) }
}
