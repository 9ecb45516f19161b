import { Refusal } from '../../words/errors.ts'
import { mayManage, type Room } from '../../chat/index.ts'
import type { ListedInvite } from '../../chat/people/index.ts'
import { LOBBY } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import { counted } from '../../base/amounts.ts'
import { safeJson } from '../../base/json.ts'
import { arg, flag, JSON_FLAG, Misuse, type Caller, type CommandContext } from '../command.ts'
import {
  dateText,
  iso,
  listedNumber,
  numberFlag,
  print,
  roomNames,
  type Services,
  tellRoom,
  verb,
} from './common.ts'

const ARGUMENTS = [
  arg('action', 'what to do', { oneOf: ['new', 'list', 'revoke'], usual: 'list' }),
  arg(
    'which',
    'for new, a room that the code also invites to; for revoke, the number of a code in the list',
    { optional: true },
  ),
] as const

const USES = { fallback: 1, most: 100 }
const DAYS = { fallback: 7, most: 365 }

const FLAGS = [
  flag('uses', `the number of people who may use the code; ${USES.fallback} by default`, { value: 'N' }),
  flag('days', `the code is valid for N days; ${DAYS.fallback} by default`, { value: 'N' }),
  JSON_FLAG,
] as const

type Context = CommandContext<'none', typeof ARGUMENTS, typeof FLAGS>

export const invites = verb({
  name: 'invites',
  summary: 'invite codes for newcomers: new [ROOM], list, or revoke NUMBER',
  arguments: ARGUMENTS,
  flags: FLAGS,
  example: 'new --uses 3 den',
  rights: {
    note: '`[server] invites` says who of these people may make codes: `members` are all of them, `ops` the ops of the lobby and admins. People see and revoke their own codes, admins all.',
  },
  complete: { which: (where, services) => (where.given[0] === 'new' ? roomNames(where, services) : []) },
  async run(context, services) {
    const { args, flags } = context
    const person = await services.people.current(context.person)
    const isNew = args.action === 'new'
    if (!isNew && (flags.uses !== undefined || flags.days !== undefined))
      throw new Misuse(`--uses and --days are for new`)
    return await { new: make, list, revoke }[args.action](services, { ...context, person }, context.person)
  },
})

async function make(
  services: Services,
  { person, args, flags, out, session }: Context,
  { login }: Person,
): Promise<void> {
  const uses = numberFlag('--uses', flags.uses, USES)
  const days = numberFlag('--days', flags.days, DAYS)
  const reason = await whyNoCodes(services, person)
  if (reason !== undefined) throw new Refusal(reason)
  const room = args.which === undefined ? null : await roomFor(services, args.which, person)
  const code = await services.comingIn.invites.make(person, { uses, days, room: room?.name ?? null })
  const [newcomers, time] = [counted(uses, 'newcomer'), counted(days, 'day')]
  if (room)
    await tellRoom(
      room,
      person,
      `${person.name} made an invite code for this room: for ${newcomers}, for ${time}`,
    )
  if (flags.json) return out.line(safeJson({ code, room: room?.name ?? null, uses, days }))
  out.line(code)
  if (session)
    out.line(
      `-- lets ${newcomers} in, for ${time}; it is shown only now. They type it when asked, or this, with their name:\n${loginLine(code, login)}`,
    )
  // A newcomer with a code for a public room is told of no invitation.
  if (session && room) out.line(`-- they begin in the lobby; they type /join ${room.name}`)
}

/** A newcomer's command, with the server's address as the inviter's login reached it. */
function loginLine(code: string, login: Person['login']): string {
  const { host, port } = login?.reachedAt ?? { host: 'HOST', port: 22 }
  return `ssh ${port === 22 ? '' : `-p ${port} `}NAME+${code}@${host}`
}

/** Resolves to the reason why the person may make no codes; undefined if they may. */
export async function whyNoCodes(
  { comingIn, rooms }: Pick<Services, 'comingIn' | 'rooms'>,
  person: Person,
): Promise<string | undefined> {
  const { access, invites: makers } = comingIn.policy()
  if (access === 'closed') return 'this server is closed: no code lets anybody in'
  if (person.guest) return 'guests cannot make invite codes; log in with a name of your own'
  if (person.admin || makers === 'members') return undefined
  if (makers === 'ops' && mayManage(await (await rooms.lobby()).roleOf(person))) return undefined
  const who = makers === 'ops' ? 'ops of the lobby and admins' : 'admins'
  return `only ${who} can make invite codes here; ask one of them`
}

/** Resolves to null for the lobby, which everybody enters anyway. */
async function roomFor({ rooms }: Services, name: string, person: Person): Promise<Room | null> {
  const room = await rooms.get(name, person)
  if (room.name === LOBBY) return null
  const { private: isPrivate } = await room.info()
  if (isPrivate && !mayManage(await room.roleOf(person)))
    throw new Refusal(`only the owner of ${room.name} or an op can invite people to it`)
  room.needVoice(person)
  return room
}

async function list({ rooms, comingIn }: Services, context: Context): Promise<void> {
  const { person, args } = context
  if (args.which !== undefined) throw new Misuse('list takes nothing more')
  const visible = new Set<string>(await roomNames({ person }, { rooms }))
  const shown = (await comingIn.invites.list(person)).map((invite) => ({
    ...invite,
    // An admin sees everybody's codes, but no names of private rooms that the admin cannot see.
    room: invite.room !== null && visible.has(invite.room) ? invite.room : null,
  }))
  print(
    context,
    shown.map(asJson),
    shown.map((invite) => asLine(invite, context)).join('\n') ||
      `no invite code is open; ${context.session ? '/' : ''}invites new [ROOM] makes one`,
  )
}

async function revoke({ comingIn }: Services, { person, args, out }: Context): Promise<void> {
  const id = listedNumber(args.which, 'revoke takes a number of /invites list')
  await comingIn.invites.revoke(person, id)
  out.line(`invite ${id} lets nobody in any more`)
}

const asJson = ({ id, by, room, uses, usesLeft, until, isHeld }: ListedInvite) => ({
  id,
  by: by.name,
  room,
  uses,
  uses_left: usesLeft,
  until: iso(until),
  ...(isHeld ? { held: `${by.name} is banned` } : {}),
})

const asLine = ({ id, by, room, uses, usesLeft, until, isHeld }: ListedInvite, caller: Caller): string =>
  `${id}  ${usesLeft} of ${counted(uses, 'use')} left, until ${dateText(until, caller)}, by ${by.name}${room === null ? '' : `, room ${room}`}${isHeld ? `; lets nobody in while ${by.name} is banned` : ''}`
