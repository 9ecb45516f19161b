import { join } from 'node:path'
import {
  createModeration,
  type Moderation,
  type ServerForModeration,
  type StoppedWork,
  type Sanctions,
  type Clients,
} from '../chat/moderation/index.ts'
import type { People } from '../chat/people/index.ts'
import type { Peers, Rooms } from '../chat/index.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { TurnAtWork } from '../turns/index.ts'
import type { Work } from '../visits/index.ts'
import type { AppContext } from './context.ts'
import { createTidyDatabase } from './keeping.ts'
import { keepDeletedRoom, type KeptPlaces, moveFiles } from './deleted-room.ts'

export interface Moderated {
  readonly rooms: Rooms
  readonly people: Pick<People, 'guestKey'>
  readonly enforcement: {
    readonly sanctions: Sanctions
    readonly clients: Clients
  }
  readonly peers: Pick<Peers, 'closeRoom' | 'openRoom'>
}

/** `admins` returns the admins of the config. */
export function assembleModeration(
  { rooms, people, enforcement, peers }: Moderated,
  work: Work,
  { storage, clock, nextId, log }: Pick<AppContext, 'storage' | 'clock' | 'nextId' | 'log'>,
  config: KeptPlaces & { readonly admins: () => readonly string[] },
): Moderation {
  const server: ServerForModeration = {
    stopWork: (stopped) => stopWork(work, stopped),
    async keepRoom(room) {
      const file = await keepDeletedRoom(room, config, storage.chat.entries, clock.now())
      storage.prompts.scripts.forget(room)
      return file
    },
    async moveRoom(from, to) {
      await moveFiles(join(config.roomsDir, from), join(config.roomsDir, to))
      for (const room of [from, to]) storage.prompts.scripts.forget(room)
    },
    forget: work.summaries.forget,
    tidy: createTidyDatabase(storage.upkeep, clock, log),
    guestKey: (name) => people.guestKey(name),
    isConfigAdmin: (key) => config.admins().includes(key),
  }
  const shared = { server, peers, clock, nextId, log, serial: createSerial() }
  return createModeration({ rooms, stores: storage.chat, ...enforcement, ...shared })
}

/** Stops matching turns and tool runs, also on other servers. Never rejects. */
export async function stopWork(
  { turns, runs, summaries }: Work,
  { room, names, why }: StoppedWork,
): Promise<void> {
  const isMeant = ({ requester }: Pick<TurnAtWork, 'requester'>): boolean => names?.has(requester) ?? true
  const stoppedTurns = turns.running(room ?? undefined).filter(isMeant)
  const stoppedRuns = runs.running(room ?? undefined).filter(isMeant)
  if (room !== null && !names) summaries.stop(room)
  for (const turn of stoppedTurns) turn.cancel(`@${turn.model} was stopped: ${why}`)
  for (const run of stoppedRuns) run.cancel(why)
  await Promise.allSettled([
    ...stoppedTurns.map((turn) => turn.ended()),
    ...stoppedRuns.map((run) => run.done()),
  ])
}
