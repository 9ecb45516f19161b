import { Refusal } from '../../chat/errors.ts'
import type { ClientsEverywhere } from '../../chat/moderation/clients.ts'
import type { Keys } from '../../chat/people/keys.ts'
import type { Person } from '../../chat/people/person.ts'
import type { StoredKey } from '../../chat/people/ports.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { type Command, type CommandContext, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

const ARGUMENTS = [
  { name: 'action', about: 'what to do', oneOf: ['list', 'add', 'remove'] },
  {
    name: 'key',
    about: 'for add, the line of a .pub file, which a script may pipe in; for remove, a fingerprint',
    optional: true,
    takes: 'rest',
  },
] as const

type Context = CommandContext<'none', typeof ARGUMENTS, readonly [typeof JSON_FLAG]>

export function keysCommand(keys: Keys, clients: Pick<ClientsEverywhere, 'end'>): Command {
  const actions = { list, add, remove }
  return defineCommand({
    name: 'keys',
    summary: 'the keys that you come in with: list, add (the line of a .pub file), or remove FINGERPRINT',
    room: 'none',
    arguments: ARGUMENTS,
    flags: [JSON_FLAG],
    example: 'list',
    rights: { note: 'Each for their own keys. The last key cannot be removed.' },
    run: (context) => actions[context.args.action](context),
  })

  async function list({ person, args, flags, out }: Context): Promise<void> {
    if (args.key !== undefined) throw new Misuse('list takes nothing more')
    const all = await keys.list(person)
    if (flags.json) return out.line(safeJson(all.map((key) => asJson(key, person))))
    out.line(all.length === 0 ? NO_KEYS : all.map((key) => asLine(key, person)).join('\n'))
  }

  async function add({ person, args, out, script }: Context): Promise<void> {
    const line = args.key ?? (await script?.stdin('until-end')) ?? ''
    if (line.trim() === '') throw new Refusal('there is no key: give the line of a .pub file')
    const key = await keys.add(person, line)
    out.line(`${key} waits: it is yours once somebody has logged in with it as ${person.name}`)
  }

  async function remove({ person, args, out, script }: Context): Promise<void> {
    const fingerprint = args.key?.trim() ?? ''
    if (fingerprint === '') throw new Misuse('remove takes a fingerprint of /keys list')
    await keys.remove(person, fingerprint)
    out.line(`${fingerprint} lets nobody in as ${person.name} any more`)
    const cameWithIt = { person: person.id, key: fingerprint }
    const end = (): void =>
      clients.end(cameWithIt, `the key that this came in with, ${fingerprint}, was removed`)
    if (script) script.afterwards(end)
    else end()
  }
}

const NO_KEYS = 'no key is stored for you: you come in with a certificate'

const isInUse = ({ fingerprint }: StoredKey, { login }: Person): boolean => login?.key === fingerprint

const asJson = (key: StoredKey, person: Person) => ({
  fingerprint: key.fingerprint,
  added: new Date(key.addedAt).toISOString(),
  waiting: key.isWaiting,
  in_use: isInUse(key, person),
})

const asLine = (key: StoredKey, person: Person): string =>
  `${key.fingerprint}  added ${new Date(key.addedAt).toISOString()}${stateOf(key, person)}`

function stateOf(key: StoredKey, person: Person): string {
  if (key.isWaiting) return `, waits for its first login as ${person.name}`
  return isInUse(key, person) ? ', in use now' : ''
}
