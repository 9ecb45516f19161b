import { doHere } from '../../chat/moderation/clients-everywhere.ts'
import type { OpenClients } from '../../chat/moderation/open-clients.ts'
import { createEnforcement } from '../../chat/moderation/put-out.ts'
import type { Person, PersonId } from '../../chat/people/person.ts'
import type { Talk } from '../../chat/talk/talk.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import type { Work } from '../activity.ts'
import { stopWork } from '../assemble-moderation.ts'
import type { AppContext } from '../context.ts'
import type { RoomsAndPeople } from '../rooms-and-people.ts'

/** What follows the other servers. */
export interface FollowingParts {
  readonly chat: RoomsAndPeople
  readonly talk: Talk
  readonly work: Omit<Work, 'watchElsewhere'>
  readonly context: Pick<AppContext, 'storage' | 'clock'>
}

/**
 * Reads once what other servers decided of people and did for them, then follows their news. Resolves to a function that reads all
 * of it again. Rejects with `StorageError`.
 */
export async function followPeople(cluster: Cluster, parts: FollowingParts): Promise<() => Promise<void>> {
  const readAgain = [
    followModeration(cluster, parts),
    followNames(cluster, parts),
    followTalk(cluster, parts),
  ]
  const readAll = async (): Promise<void> => {
    for (const read of readAgain) await read()
  }
  await readAll()
  return readAll
}

function followModeration(
  { news, orders, people: { closings } }: Cluster,
  { chat, work, context: { storage, clock } }: FollowingParts,
): () => Promise<void> {
  const { sanctions, clients } = chat.enforcement
  const enforcement = createEnforcement({ sanctions, clients, stores: storage.chat, clock })
  async function sanctionsChanged(): Promise<void> {
    await enforcement.sanctionsChanged()
    await work.turns.stopThoseOut()
    await work.runs.stopThoseOut()
  }
  // Nothing that comes after it waits for its end.
  orders.on('clients', async (act) => void doHere(act, clients))
  closings.on(async (rooms) => {
    const leaving = enforcement.closed(rooms)
    await Promise.all(
      [...rooms.keys()].map((room) => stopWork(work, { room, why: `${room} is being deleted` })),
    )
    await leaving
  })
  news.on('sanctions', sanctionsChanged)
  news.on('closings', () => closings.readAgain())
  return async () => {
    await sanctionsChanged()
    await closings.readAgain()
  }
}

function followNames(
  { news, orders, people: { loans } }: Cluster,
  {
    chat: {
      people,
      preferences,
      invitations,
      rooms,
      enforcement: { clients },
    },
    context: { storage },
  }: FollowingParts,
): () => Promise<void> {
  const byId = (id: PersonId): Promise<Person | undefined> => storage.chat.people.byId(id)
  async function namesChanged(ids: readonly PersonId[]): Promise<void> {
    await people.readAgain(ids)
    rooms.everywhere.namesChanged()
  }
  news.on('people', namesChanged)
  async function preferencesChanged(ids: readonly PersonId[]): Promise<void> {
    for (const id of ids) {
      const person = await byId(id)
      if (person) await preferences.readAgain(person)
    }
  }
  news.on('preferences', preferencesChanged)
  news.on('lost', async () => {
    const ids = registeredHere(clients)
    await namesChanged(ids)
    await preferencesChanged(ids)
  })
  orders.on('invited', async ({ person: id }) => {
    const person = await byId(id)
    if (person && rooms.everywhere.isHere(person)) await invitations.tell(person)
  })
  return async () => {
    await loans.readAgain()
  }
}

function followTalk(
  { news, orders }: Cluster,
  {
    chat: {
      enforcement: { clients },
    },
    talk: { away, ignores, messages },
    context: { storage },
  }: FollowingParts,
): () => Promise<void> {
  const { people } = storage.chat
  news.on('away', () => away.readAgain())
  news.on('ignored', (ids: readonly PersonId[]) => ignores.readAgain(ids))
  news.on('lost', () => ignores.readAgain(registeredHere(clients)))
  news.on('keys', async (ids: readonly PersonId[]) => {
    if (!ignores.isAnybodyIgnored()) return
    for (const id of ids) {
      const person = await people.byId(id)
      for (const key of person ? await people.keysOf(id) : []) if (person) ignores.cameIn(person, key)
    }
  })
  orders.on('message', (told) => messages.sentElsewhere(told))
  orders.on('guestAway', async ({ person, text }) => away.guestAway(person, text))
  return () => away.readAgain()
}

/** Those whom the database knows. */
const registeredHere = (clients: Pick<OpenClients, 'people'>): readonly PersonId[] => [
  ...new Set(clients.people(({ guest }) => !guest).map(({ id }) => id)),
]
