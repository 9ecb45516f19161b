import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { StoredKey, StoredToken } from '../../chat/people/index.ts'
import type { Rooms } from '../../chat/index.ts'
import { counted } from '../../base/amounts.ts'
import { safeJson } from '../../base/json.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type Caller, type CommandContext } from '../command.ts'
import { dateText, iso, listedNumber, numberFlag, print, roomNames, type Services, verb } from './common.ts'

const KEY_ARGUMENTS = [
  arg('action', 'what to do', { oneOf: ['list', 'add', 'remove'], usual: 'list' }),
  text('key', 'for add, the line of a .pub file, which a script may pipe in; for remove, a fingerprint', {
    optional: true,
  }),
] as const

type KeyContext = CommandContext<'none', typeof KEY_ARGUMENTS, readonly [typeof JSON_FLAG]>

export const keys = verb({
  name: 'keys',
  summary: 'the SSH keys that you log in with: list, add (the line of a .pub file), or remove FINGERPRINT',
  arguments: KEY_ARGUMENTS,
  flags: [JSON_FLAG],
  example: 'list',
  rights: { note: 'People see and change only their own keys. The last key cannot be removed.' },
  run: (context, services) =>
    ({ list: listKeys, add: addKey, remove: removeKey })[context.args.action](services.comingIn, context),
})

type LoginServices = Services['comingIn']

async function listKeys({ keys }: LoginServices, context: KeyContext): Promise<void> {
  const { person, args } = context
  if (args.key !== undefined) throw new Misuse('list takes nothing more')
  const all = await keys.list(person)
  const lines = all.map((key) => keyLine(key, context))
  print(
    context,
    all.map((key) => keyJson(key, person)),
    lines.join('\n') || NO_KEYS,
  )
}

async function addKey({ keys }: LoginServices, { person, args, out, script }: KeyContext): Promise<void> {
  const line = args.key ?? (await script?.stdin('until-end')) ?? ''
  if (line.trim() === '') throw new Refusal('there is no key: give the line of a .pub file')
  const key = await keys.add(person, line)
  out.line(`${key} waits: it is yours once somebody has logged in with it as ${person.name}`)
}

async function removeKey(
  { keys, clients }: LoginServices,
  { person, args, out, script }: KeyContext,
): Promise<void> {
  const fingerprint = args.key?.trim() ?? ''
  if (fingerprint === '') throw new Misuse('remove takes a fingerprint of /keys list')
  await keys.remove(person, fingerprint)
  out.line(`${fingerprint} lets nobody in as ${person.name} any more`)
  const cameWithIt = { person: person.id, key: fingerprint }
  const end = (): void =>
    void clients.everywhere({
      act: 'end',
      whom: cameWithIt,
      text: `the key of this login, ${fingerprint}, was removed`,
    })
  if (script) script.afterwards(end)
  else end()
}

const NO_KEYS = 'no key is stored for you: you come in with a certificate'

const isInUse = ({ fingerprint }: StoredKey, { login }: Person): boolean => login?.key === fingerprint

const keyJson = (key: StoredKey, person: Person) => ({
  fingerprint: key.fingerprint,
  added: iso(key.addedAt),
  waiting: key.isWaiting,
  in_use: isInUse(key, person),
})

function keyLine(key: StoredKey, caller: Caller): string {
  const { person } = caller
  const used = isInUse(key, person) ? ', in use now' : ''
  const state = key.isWaiting ? `, waits for its first login as ${person.name}` : used
  return `${key.fingerprint}  added ${dateText(key.addedAt, caller)}${state}`
}

const TOKEN_ARGUMENTS = [
  arg('action', 'what to do', { oneOf: ['new', 'list', 'revoke'], usual: 'list' }),
  arg('id', 'for revoke, the number of a token in the list', { optional: true }),
] as const

const DAYS = { fallback: 30, most: 365 }

const TOKEN_FLAGS = [
  flag('rooms', 'the only rooms that the token may use, with commas between them; all of yours by default', {
    value: 'A,B',
  }),
  flag('days', `the token is valid for N days; ${DAYS.fallback} by default`, { value: 'N' }),
  JSON_FLAG,
] as const

type TokenContext = CommandContext<'none', typeof TOKEN_ARGUMENTS, typeof TOKEN_FLAGS>

/** Limit of one token's rooms: more than anybody needs, and few enough to look up at once. */
const MAX_ROOMS = 32

export const token = verb({
  name: 'token',
  summary: 'tokens for programs that use the server over HTTP in your name: new, list, or revoke NUMBER',
  allowedOverQuota: true,
  arguments: TOKEN_ARGUMENTS,
  flags: TOKEN_FLAGS,
  example: 'new --rooms lobby --days 7',
  rights: { note: 'People see and revoke only their own tokens. Admins may revoke those of everybody.' },
  complete: {
    rooms: roomNames,
    async id({ person, given }, { comingIn }) {
      if (given[0] !== 'revoke' || person.guest) return []
      return (await comingIn.tokens.list(person)).map(({ id }) => String(id))
    },
  },
  async run(context, services) {
    const { args, flags } = context
    if (args.action !== 'new' && (flags.rooms !== undefined || flags.days !== undefined))
      throw new Misuse('--rooms and --days are for new')
    if (args.action !== 'revoke' && args.id !== undefined)
      throw new Misuse(`${args.action} takes nothing more`)
    return await { new: makeToken, list: listTokens, revoke: revokeToken }[args.action](services, context)
  },
})

async function makeToken(
  { comingIn, rooms }: Services,
  { person, flags, out, session }: TokenContext,
): Promise<void> {
  if (person.guest) throw new Refusal('a guest has no tokens; log in with a name of your own')
  const days = numberFlag('--days', flags.days, DAYS)
  const named = flags.rooms === undefined ? null : await roomsNamed(rooms, flags.rooms, person)
  const { token, id, until } = await comingIn.tokens.make(person, { rooms: named, days })
  if (flags.json) return out.line(safeJson({ id, token, rooms: named, days, until: iso(until) }))
  out.line(token)
  const time =
    until === person.login?.certifiedUntil
      ? `until your certificate ends, at ${dateText(until, { session })}`
      : `and ${counted(days, 'day')}`
  if (session)
    out.line(
      `-- token ${id}, for ${named ? named.join(', ') : 'all your rooms'} ${time}; it is shown only now. Keep it as you keep a key`,
    )
}

async function roomsNamed(rooms: Rooms, list: string, person: Person): Promise<readonly RoomName[]> {
  const names = [...new Set(list.split(',').filter((name) => name !== ''))]
  if (names.length === 0 || names.length > MAX_ROOMS)
    throw new Misuse(`--rooms takes 1 to ${MAX_ROOMS} rooms with commas between them, such as lobby,den`)
  const found: RoomName[] = []
  for (const name of names) found.push((await rooms.get(name, person)).name)
  return [...new Set(found)].toSorted()
}

async function listTokens({ comingIn }: Services, context: TokenContext): Promise<void> {
  const all = await comingIn.tokens.list(context.person)
  print(
    context,
    all.map(tokenJson),
    all.map((stored) => tokenLine(stored, context)).join('\n') || 'you have no token',
  )
}

async function revokeToken({ comingIn }: Services, { person, args, out }: TokenContext): Promise<void> {
  const id = listedNumber(args.id, 'revoke takes a number of /token list')
  await comingIn.tokens.revoke(person, id)
  void comingIn.clients.everywhere({
    act: 'end',
    whom: { token: id },
    text: `token ${id}, with which you logged in, was revoked`,
  })
  out.line(`token ${id} lets nobody in any more`)
}

const tokenJson = ({ id, rooms, at, until }: StoredToken) => ({ id, rooms, made: iso(at), until: iso(until) })

const tokenLine = ({ id, rooms, at, until }: StoredToken, caller: Caller): string =>
  `${id}  made ${dateText(at, caller)}, until ${dateText(until, caller)}, for ${roomsOf(rooms)}`

/** All rooms of a token that is bound to rooms may have been deleted. */
function roomsOf(rooms: StoredToken['rooms']): string {
  if (rooms === null) return 'all your rooms'
  return rooms.length === 0 ? 'no room: all of its rooms are gone' : rooms.join(', ')
}
