import { parseNetwork } from '../../base/network.ts'
import { skeleton } from '../../base/text/names.ts'
import { Refusal, ignoreRefusal } from '../../words/errors.ts'
import type { Fingerprint, Person } from '../../words/person.ts'
import type { Room } from '../room.ts'
import type { ModerationParts } from './acting.ts'
import { inGroup } from './clients.ts'
import type { Sanction, Group } from './ports.ts'

/** A person with their current keys, a guest with their key, a key alone or a network. */
export interface Target extends Group, Pick<Sanction, 'who' | 'people' | 'keys' | 'network'> {
  /** The target as everybody may read it, without a key or network. */
  readonly shown: string
  /** The person, and everybody else who has one of the keys. */
  readonly holders: readonly Person[]
}

type Finders = Pick<ModerationParts, 'stores' | 'clients' | 'server' | 'clock'>

const isFingerprint = (word: string): word is Fingerprint => /^SHA256:[A-Za-z0-9+/]{43}$/.test(word)

/** Finds a target by a name, also a guest's, by a key's fingerprint or by a network. Throws `Refusal`. */
export async function findTarget(word: string, parts: Finders): Promise<Target> {
  const { people } = parts.stores
  const nobody = { people: [], keys: [], holders: [], network: null }
  if (isFingerprint(word))
    return { ...nobody, who: word, shown: 'a key', keys: [word], holders: await people.holdersOf([word]) }
  if (word.startsWith('SHA256:'))
    throw new Refusal(
      `${word.slice(0, 60)} is no fingerprint: write SHA256: and the 43 characters of ssh-keygen -lf`,
    )
  const looksLikeNetwork = /[/:]/.test(word) || /^\d+(\.\d+){3}$/.test(word)
  if (!looksLikeNetwork) return await findPerson(word, parts)
  if (await people.bySkeleton(skeleton(word), parts.clock.now()))
    throw new Refusal(
      `${word} is an address, and somebody's name: write ${word}/32, or @${word} for the person`,
    )
  const network = parseNetwork(word)
  if (network)
    return { ...nobody, who: network.text, shown: 'a network', network: network.text, bits: network.bits }
  throw new Refusal(
    `${word.slice(0, 60)} is no network: write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32 (of IPv6 at most a /64)`,
  )
}

/** Finds a person by their name, a kept former name or a guest's name, also as `@name`. Throws `Refusal`. */
export async function findPerson(word: string, parts: Finders): Promise<Target> {
  const { stores, clients, server, clock } = parts
  const name = word.replace(/^@/, '')
  const person = await stores.people.bySkeleton(skeleton(name), clock.now())
  const guestKey = person ? undefined : (server.guestKey(name) ?? clients.called(name)?.login?.key)
  if (!person && guestKey === undefined) throw new Refusal(`nobody called ${name.slice(0, 40)} is known here`)
  const keys = person ? await stores.people.keysOf(person.id) : [guestKey!]
  const others = (await stores.people.holdersOf(keys)).filter(({ id }) => id !== person?.id)
  const who = person?.name ?? clients.called(name)?.name ?? name
  const people = person ? [person.id] : []
  return { who, shown: who, people, keys, network: null, holders: person ? [person, ...others] : others }
}

/** Refuses acts on the actor, a config admin or, in a room, its owner or an admin, by any name of a key. */
export async function assertCanActOn(
  target: Target,
  room: Room | undefined,
  actor: Person,
  { server, stores }: Pick<ModerationParts, 'server' | 'stores'>,
): Promise<void> {
  const { who, keys, holders } = target
  if (who === actor.name) throw new Refusal('you cannot do this to yourself; nothing was done')
  if (inGroup(target)(actor) || holders.some(({ id }) => id === actor.id))
    throw new Refusal(`${who} includes yourself; nothing was done`)
  const theirKeys = await Promise.all(holders.map(({ id }) => stores.people.keysOf(id)))
  if ([...keys, ...theirKeys.flat()].some((key) => server.isConfigAdmin(key)))
    throw new Refusal(`${who} is an admin by the server's config; only that can change it`)
  if (!room) return
  if (holders.some(({ admin }) => admin))
    throw new Refusal(`${who} is an admin; ban can put an admin out, from the server`)
  const { owner } = await room.info()
  if (holders.some(({ id }) => id === owner))
    throw new Refusal(`${who} owns ${room.name}; ban from the server is the only way to put an owner out`)
}

/** Finds sanctions by network, key or any name of a person; if none, sanctions of people who share a key. */
export async function findSanctions(
  word: string,
  all: readonly Sanction[],
  parts: Finders,
): Promise<readonly Sanction[]> {
  const words = [word, parseNetwork(word)?.text]
  const look = skeleton(word.replace(/^@/, ''))
  const person = await findPerson(word, parts).catch(ignoreRefusal)
  const own = all.filter(
    ({ who, people, network }) =>
      words.includes(who) ||
      (network === null && skeleton(who) === look) ||
      people.some((id) => person?.people.includes(id)),
  )
  if (own.length > 0) return own
  return all.filter((one) => !isFingerprint(one.who) && one.keys.some((key) => person?.keys.includes(key)))
}
