import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { ClientsEverywhere } from '../../chat/moderation/clients.ts'
import type { StoredToken } from '../../chat/people/ports.ts'
import type { Tokens } from '../../chat/people/tokens.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { counted } from '../../lib/plural.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { amount } from './shared/amount.ts'
import { type Command, type CommandContext, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

const ARGUMENTS = [
  { name: 'action', about: 'what to do', oneOf: ['new', 'list', 'revoke'] },
  { name: 'id', about: 'for revoke, a number of the list', optional: true },
] as const

const FLAGS = [
  {
    name: 'rooms',
    about: 'the only rooms that it is for, with commas; all of yours when absent',
    value: 'A,B',
  },
  { name: 'days', about: 'how long it holds; 30 when absent', value: 'N' },
  JSON_FLAG,
] as const

type Context = CommandContext<'none', typeof ARGUMENTS, typeof FLAGS>

const DEFAULT_DAYS = 30
const MAX_DAYS = 365
/** More than anybody has a use for, and few enough that looking them up costs nothing. */
const MAX_ROOMS = 32

/** The tokens with which programs come in over HTTP. */
export function tokenCommand(
  tokens: Tokens,
  rooms: Pick<Rooms, 'get' | 'list'>,
  clients: Pick<ClientsEverywhere, 'end'>,
): Command {
  const actions = { new: make, list, revoke }
  return defineCommand({
    name: 'token',
    summary: 'tokens with which your programs come in over HTTP: new, list, or revoke NUMBER',
    room: 'none',
    protects: true,
    arguments: ARGUMENTS,
    flags: FLAGS,
    example: 'new --rooms lobby --days 7',
    rights: { note: "Each for their own tokens. Admins may revoke anybody's." },
    complete: async ({ person, given, argument }) => {
      if (argument === 'rooms') return (await rooms.list(person)).map(({ name }) => name)
      const isRevoke = argument === 'id' && given[0] === 'revoke' && !person.guest
      return isRevoke ? (await tokens.list(person)).map(({ id }) => String(id)) : []
    },
    async run(context) {
      const { args, flags } = context
      if (args.action !== 'new' && (flags.rooms !== undefined || flags.days !== undefined))
        throw new Misuse('--rooms and --days are for new')
      if (args.action !== 'revoke' && args.id !== undefined)
        throw new Misuse(`${args.action} takes nothing more`)
      return await actions[args.action](context)
    },
  })

  async function make({ person, flags, out, session }: Context): Promise<void> {
    if (person.guest) throw new Refusal('a guest has no tokens; log in with a name of your own')
    const days = amount(flags.days, { name: 'days', fallback: DEFAULT_DAYS, most: MAX_DAYS })
    const named = flags.rooms === undefined ? null : await roomsNamed(flags.rooms, person)
    const { token, id, until } = await tokens.make(person, { rooms: named, days })
    if (flags.json) return out.line(safeJson({ id, token, rooms: named, days, until: timeOf(until) }))
    out.line(token)
    const time =
      until === person.login?.certifiedUntil
        ? `until your certificate ends, at ${timeOf(until)}`
        : `and ${counted(days, 'day')}`
    if (session)
      out.line(
        `-- token ${id}, for ${named ? named.join(', ') : 'all your rooms'} ${time}; it is shown only now. Keep it as you keep a key`,
      )
  }

  async function roomsNamed(list: string, person: Context['person']): Promise<readonly RoomName[]> {
    const names = [...new Set(list.split(',').filter((name) => name !== ''))]
    if (names.length === 0 || names.length > MAX_ROOMS)
      throw new Misuse(`--rooms takes 1 to ${MAX_ROOMS} rooms with commas between them, such as lobby,den`)
    const found: RoomName[] = []
    for (const name of names) found.push((await rooms.get(name, person)).name)
    return [...new Set(found)].toSorted()
  }

  async function list({ person, flags, out }: Context): Promise<void> {
    const all = await tokens.list(person)
    if (flags.json) return out.line(safeJson(all.map(asJson)))
    out.line(all.length === 0 ? 'you have no token' : all.map(asLine).join('\n'))
  }

  async function revoke({ person, args, out }: Context): Promise<void> {
    if (args.id === undefined || !/^\d{1,9}$/.test(args.id))
      throw new Misuse('revoke takes a number of /token list')
    const id = Number(args.id)
    await tokens.revoke(person, id)
    clients.end({ token: id }, `token ${id}, which this came in with, was revoked`)
    out.line(`token ${id} lets nobody in any more`)
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

const asJson = ({ id, rooms, at, until }: StoredToken) => ({
  id,
  rooms,
  made: timeOf(at),
  until: timeOf(until),
})

const asLine = ({ id, rooms, at, until }: StoredToken): string =>
  `${id}  made ${timeOf(at)}, until ${timeOf(until)}, for ${roomsOf(rooms)}`

/** Of a token that is bound to rooms, all may be deleted. */
function roomsOf(rooms: StoredToken['rooms']): string {
  if (rooms === null) return 'all your rooms'
  return rooms.length === 0 ? 'no room: all of its rooms are gone' : rooms.join(', ')
}
