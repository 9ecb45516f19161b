import { openWire } from '../../adapters/wire/wire.ts'
import { createLocalBus } from '../../chat/local-bus.ts'
import { tellDenied } from '../../approvals/approvals.ts'
import { NO_OTHER_SERVERS, type OtherServers } from '../../chat/moderation/other-servers.ts'
import type { Loans } from '../../chat/people/loans.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { TalkElsewhere } from '../../chat/talk/other-servers.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { NOBODY_ELSEWHERE } from '../../chat/presence/elsewhere.ts'
import { createCluster, type Cluster, type ClusterEvents, type ClusterRooms } from '../../cluster/cluster.ts'
import type { CommonStore, ServerFacts } from '../../cluster/ports.ts'
import type { QuestionRow } from '../../cluster/work-ports.ts'
import type { Config } from '../../config/config.ts'
import { askedIn } from './question-book.ts'
import type { AppContext } from '../context.ts'
import { peopleElsewhere } from './people-elsewhere.ts'

/** What the rooms have in common with those of other servers. */
export type SharedRooms = ClusterRooms & {
  readonly others: OtherServers
  readonly tellInvited: (person: Person) => Promise<void>
  /** Absent for a server that is alone, as the next ones. */
  readonly talk?: TalkElsewhere
  readonly loans?: Loans
}

/** Of one of several; of one that has its database alone, where there is no cluster. */
export const sharedRooms = (cluster: Cluster | undefined, log: Log): SharedRooms =>
  cluster
    ? {
        ...cluster.rooms,
        loans: cluster.people.loans,
        ...peopleElsewhere(cluster, log),
      }
    : {
        bus: createLocalBus(log),
        elsewhere: NOBODY_ELSEWHERE,
        troubles: () => [],
        others: NO_OTHER_SERVERS,
        tellInvited: () => Promise.resolve(),
      }

/** This server as one of several, where the database is for several; it has not joined them yet. */
export async function openCluster(
  config: Pick<Config, 'storage' | 'bus'>,
  { storage, clock, log }: Pick<AppContext, 'storage' | 'clock' | 'log'>,
  facts: () => Promise<ServerFacts>,
): Promise<Cluster | undefined> {
  const { cluster: stores } = storage
  if (!stores || config.storage.url === undefined) return undefined
  await warnOfWrongClock(stores.common, clock, log)
  return createCluster({
    stores,
    wire: await openWire({ bus: config.bus, storageUrl: config.storage.url, log }),
    entries: storage.chat.log,
    facts,
    clock,
    log,
  })
}

/** A wrong clock by so many ms is worth a warning: bans, codes and tokens end by the clock of each machine. */
const WRONG_CLOCK_MS = 5_000

async function warnOfWrongClock(
  database: Pick<CommonStore, 'now'>,
  clock: AppContext['clock'],
  log: Log,
): Promise<void> {
  const ahead = Math.round((clock.now() - (await database.now())) / 1_000)
  if (Math.abs(ahead) * 1_000 >= WRONG_CLOCK_MS)
    log.warn({ seconds: ahead }, "the clock of this machine is not the database's; set both by NTP")
}

/** What the server does for those that have died, and when it is back after it was cut off itself. */
export function clusterEvents(
  { anyRoom, everywhere }: Pick<Rooms, 'anyRoom' | 'everywhere'>,
  endCutTurns: () => Promise<void>,
  readAgain: () => Promise<void>,
): ClusterEvents {
  return {
    async held(name) {
      const room = await anyRoom(name).catch(() => undefined)
      await room?.sumUpPresence()
    },
    async expired({ rooms, questions }) {
      const sumUp = async (): Promise<void> => {
        for (const name of rooms) await (await anyRoom(name))?.sumUpPresence()
      }
      // Beside each other: with a database that answers late, each takes long.
      await Promise.all([sumUp(), endCutTurns()])
      for (const question of questions) await withdraw(question, await anyRoom(question.room))
    },
    // What was decided while it was away may be no news any more.
    back: readAgain,
    // Each server finds the same, and the bus between them may be what differs.
    differs: (sentence) => void everywhere.tellAdmins(sentence, 'here'),
  }
}

/** Tells the other servers how this one is now. Never rejects. */
export async function tellFacts(cluster: Pick<Cluster, 'update'> | undefined, log: Log): Promise<void> {
  try {
    await cluster?.update()
  } catch (error) {
    log.warn({ error }, 'the other servers were not told what this one is')
  }
}

/** Nobody waits for its answer any more. */
async function withdraw(question: QuestionRow, room: Room | undefined): Promise<void> {
  if (room) await tellDenied(room, askedIn(question), `the server of question ${question.number} ended`)
}
