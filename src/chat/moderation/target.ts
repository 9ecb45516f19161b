import { addressBits, parseNetwork, type Network } from '../../lib/network.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { Refusal } from '../errors.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Room } from '../room.ts'
import type { ModerationParts } from './parts.ts'
import type { Sanction } from './ports.ts'
import type { Concerns, Whom } from './clients.ts'

/** Whom an act is meant for. */
export interface ActTarget {
  /** As it is listed: a person's own name, a fingerprint, a network. */
  readonly who: string
  /** As everybody may read it: a key and a network are not named. */
  readonly shown: string
  /** All names that have one of the keys. */
  readonly people: readonly Person[]
  readonly keys: readonly Fingerprint[]
  readonly network?: Network
  readonly includes: Concerns
}

type Finders = Pick<ModerationParts, 'stores' | 'clients' | 'server' | 'clock'>

/** `SHA256:` and 43 letters of base64: https://man.openbsd.org/ssh-keygen, -l. */
const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/

/** Somebody by a name, a guest's name included, a key's fingerprint or a network. Throws `Refusal`. */
export async function findTarget(word: string, parts: Finders): Promise<ActTarget> {
  if (isFingerprint(word)) {
    // Who added the key to theirs has other keys, which this one says nothing of.
    const { founders } = await parts.stores.people.forLogin('', word, parts.clock.now())
    const seed = { people: founders, keys: [word], except: word }
    const { people, keys } = await parts.stores.sanctions.linked(seed)
    return targetOf({ who: word, shown: 'a key', people, keys })
  }
  if (word.startsWith('SHA256:'))
    throw new Refusal(
      `${word.slice(0, 60)} is no fingerprint: write SHA256: and the 43 characters of ssh-keygen -lf`,
    )
  if (!looksLikeNetwork(word)) return await findPerson(word, parts)
  if (await parts.stores.people.bySkeleton(skeleton(word), parts.clock.now()))
    throw new Refusal(
      `${word} is an address, and somebody's name: write ${word}/32, or @${word} for the person`,
    )
  const network = parseNetwork(word)
  if (network) return targetOf({ who: network.text, shown: 'a network', people: [], keys: [], network })
  throw new Refusal(
    `${word.slice(0, 60)} is no network: write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32 (of IPv6 at most a /64)`,
  )
}

const isFingerprint = (word: string): word is Fingerprint => FINGERPRINT.test(word)

const looksLikeNetwork = (word: string): boolean => /[/:]/.test(word) || /^\d+(\.\d+){3}$/.test(word)

/** Somebody by their name, one that is kept for them, or the one that they are lent, also as `@name`. Throws `Refusal`. */
export async function findPerson(word: string, parts: Finders): Promise<ActTarget> {
  const { stores, clients, server, clock } = parts
  const name = word.replace(/^@/, '')
  const person = await stores.people.bySkeleton(skeleton(name), clock.now())
  const lent = person ? undefined : (server.guestKey(name) ?? clients.called(name)?.login?.key)
  if (!person && lent === undefined) throw new Refusal(`nobody called ${name.slice(0, 40)} is known here`)
  const seed = { people: person ? [person.id] : [], keys: lent === undefined ? [] : [lent] }
  const who = person?.name ?? clients.called(name)?.name ?? name
  return targetOf({ who, shown: who, ...(await stores.sanctions.linked(seed)) })
}

function targetOf(facts: Omit<ActTarget, 'includes'>): ActTarget {
  const { people, keys, network } = facts
  const ids = new Set<PersonId>(people.map(({ id }) => id))
  const owned = new Set(keys)
  return {
    ...facts,
    includes: ({ id, login }) =>
      ids.has(id) ||
      (login !== undefined &&
        (owned.has(login.key) ||
          (network !== undefined && (addressBits(login.network)?.startsWith(network.bits) ?? false)))),
  }
}

/** Throws `Refusal` where an act would put out the one who does it, or an admin of the config. */
export function needOther(
  { who, keys, includes }: ActTarget,
  actor: Person,
  { server }: Pick<ModerationParts, 'server'>,
): void {
  if (who === actor.name) throw new Refusal('that is yourself; nothing was done')
  if (includes(actor)) throw new Refusal(`${who} includes yourself; nothing was done`)
  if (keys.some((key) => server.isConfigAdmin(key)))
    throw new Refusal(`${who} is an admin by the server's config; only that can change it`)
}

/** Throws `Refusal` where somebody in a room is beyond the reach of those who manage it: an admin, or its owner. */
export async function needInReach(
  target: ActTarget,
  room: Room,
  actor: Person,
  parts: Pick<ModerationParts, 'server'>,
): Promise<void> {
  needOther(target, actor, parts)
  const { people, who } = target
  if (people.some(({ admin }) => admin))
    throw new Refusal(`${who} is an admin; ban can put an admin out, from the server`)
  const { owner } = await room.info()
  if (people.some(({ id }) => id === owner))
    throw new Refusal(`${who} owns ${room.name}; ban from the server is the only way to put an owner out`)
}

/** Those whom a name or a key stands for. */
export const whomOf = ({ people, keys }: ActTarget): Whom => ({ people: people.map(({ id }) => id), keys })

/** What a sanction is stored as. */
export const held = ({ who, people, keys, network }: ActTarget) => ({
  who,
  people: people.map(({ id }) => id),
  keys,
  network: network?.text ?? null,
})

/**
 * Those that were given under this name, key or network, or hold the person of this name, whatever other name of theirs they were
 * given under. Rejects with `StorageError`.
 */
export async function sanctionsOf(
  word: string,
  all: readonly Sanction[],
  parts: Finders,
): Promise<readonly Sanction[]> {
  const names = new Set([word, parseNetwork(word)?.text])
  const look = skeleton(word.replace(/^@/, ''))
  const same = await findPerson(word, parts).catch(nobody)
  return all.filter(
    (one) =>
      names.has(one.who) ||
      (one.network === null && skeleton(one.who) === look) ||
      (same !== undefined && holdsThem(one, same)),
  )
}

/** A ban of a key is theirs only if it was their first one. */
const holdsThem = (sanction: Sanction, { people, keys }: ActTarget): boolean =>
  people.some(({ id }) => sanction.people.includes(id)) ||
  (!isFingerprint(sanction.who) && keys.some((key) => sanction.keys.includes(key)))

function nobody(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}
