// Joins a server with the others of its database. This file must not know how servers notify each other, nor
// what a turn does.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listToolFiles } from '../tools/wrapped/index.ts'
import { openWire } from '../cluster/wire/index.ts'
import { recordDenial, askedFromJson } from '../turns/approvals/index.ts'
import type { Rooms } from '../chat/index.ts'
import {
  createCluster,
  type Cluster,
  type ClusterEvents,
  type CommonStore,
  type ServerFacts,
  type ServerId,
} from '../cluster/index.ts'
import type { Config } from './config/config.ts'
import { ownRoomsDir } from './config/directories.ts'
import type { Log } from '../base/environment.ts'
import type { AppContext } from './context.ts'

/** Opens the cluster without joining it. Resolves to undefined if the database is for one server. */
export async function openCluster(
  config: Pick<Config, 'storage' | 'bus' | 'dataDir'>,
  { storage, clock, log }: Pick<AppContext, 'storage' | 'clock' | 'log'>,
  facts: () => Promise<ServerFacts>,
): Promise<Cluster | undefined> {
  const { cluster: stores } = storage
  if (!stores || config.storage.url === undefined) return undefined
  await warnOfWrongClock(stores.common, clock, log)
  const wire = await openWire({ bus: config.bus, storageUrl: config.storage.url, log })
  const earlier = await replaceServerId(config.dataDir, stores.server)
  return createCluster({ stores, wire, entries: storage.chat.entries, facts, earlier, clock, log })
}

/** Stores the id of this run in the data directory. Resolves to the id of the run before. */
async function replaceServerId(dataDir: string, id: ServerId): Promise<ServerId | undefined> {
  const file = join(dataDir, 'server-id')
  const before = await readFile(file, 'utf8').catch(() => '')
  await writeFile(file, id, { mode: 0o600 })
  return before === '' ? undefined : (before as ServerId)
}

/**
 * A difference of clocks in ms that is worth a warning: bans, codes and tokens expire by each machine's
 * clock.
 */
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

/** What this server does on behalf of servers that died. */
export function clusterEvents(
  rooms: Pick<Rooms, 'anyRoom' | 'tellAdmins'>,
  endCutTurns: () => Promise<void>,
): ClusterEvents {
  return {
    async onPresenceStored(name, change) {
      const room = await rooms.anyRoom(name).catch(() => undefined)
      await room?.announcePresence(change)
    },
    async onExpired({ left, questions }) {
      await endCutTurns()
      for (const { room: name, number, asked } of questions) {
        const room = await rooms.anyRoom(name)
        // Nobody waits for the question's answer any more.
        if (room) await recordDenial(room, askedFromJson(asked), `the server of question ${number} ended`)
      }
      // Comes last: after a rejection this function is called again, and people must not leave twice.
      const leftRooms = await Promise.all(left.map(({ room }) => rooms.anyRoom(room)))
      for (const [at, { name }] of left.entries())
        void leftRooms[at]?.announcePresence({ name, event: 'left' })
    },
    // Each server finds the same difference, so each tells only its own admins.
    onDifference: (sentence) => void rooms.tellAdmins(sentence, 'here'),
  }
}

/** Publishes the facts of this server to the others. Never rejects. */
export async function tellFacts(cluster: Pick<Cluster, 'update'> | undefined, log: Log): Promise<void> {
  try {
    await cluster?.update()
  } catch (error) {
    log.warn({ error }, 'could not store the name and config of this server for the others')
  }
}

/**
 * Hashes everything that servers of a database should share: config that is not specific to a machine, host
 * keys, `.tool` files and modules. Secrets are left out, so that readers of the database learn nothing of
 * them.
 */
export async function configHash(config: Config, hostKeys: readonly string[]): Promise<string> {
  const { bus, sandbox, server, models, mcp, memory, lua, limits } = config
  const { dirs, modules, disabled, timeout_s, web } = config.tools
  const { rooms_dir, workspaces: _, ...machines } = sandbox
  const hash = createHash('sha256')
  const alike = { server, models, mcp, memory, lua, limits, disabled, timeout_s, web, machines }
  const places = { bus: bus && bus.prefix, hasSharedRooms: rooms_dir !== ownRoomsDir(config.dataDir) }
  hash.update(JSON.stringify([alike, places, hostKeys.toSorted()], withoutSecrets))
  const toolFiles = await Promise.all(dirs.map((dir) => listToolFiles(dir).catch(() => [])))
  for (const file of [...toolFiles.flat().toSorted(), ...modules])
    // A missing file is reported where it is read.
    hash.update(await readFile(file).catch(() => ''))
  return hash.digest('base64url').slice(0, 16)
}

/** Drops secrets. Turns maps and sets, which JSON does not have, into lists. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (/key$|token|secret|password|headers|^env$/i.test(key) && typeof value !== 'number') return undefined
  if (value instanceof Map || value instanceof Set) return [...value]
  return value
}
