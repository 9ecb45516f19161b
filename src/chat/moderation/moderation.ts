import { createSerial, type Serial } from '../../lib/jobs/serial.ts'
import type { Peers } from '../peers.ts'
import type { Clock, Log, MonotonicClock, PeopleStore, RoomStore } from '../ports.ts'
import type { Rooms } from '../rooms.ts'
import { Acts } from './acts.ts'
import type { Clients } from './clients.ts'
import { Closing } from './closing.ts'
import { Memberships } from './memberships.ts'
import type { RoomRemoval, ServerForModeration } from './ports.ts'
import type { Sanctions } from './sanctions.ts'

export type Moderation = ReturnType<typeof createModeration>

export function createModeration(parts: Omit<ModerationParts, 'serial'>) {
  const all = { ...parts, serial: createSerial() }
  return { acts: new Acts(all), memberships: new Memberships(all), closing: new Closing(all) }
}

export interface ModerationParts {
  readonly rooms: Pick<Rooms, 'lobby' | 'get' | 'anyRoom'>
  readonly stores: {
    readonly rooms: RoomStore
    readonly people: PeopleStore
    readonly removal: RoomRemoval
  }
  readonly sanctions: Sanctions
  readonly clients: Clients
  readonly server: ServerForModeration
  readonly peers: Pick<Peers, 'closeRoom' | 'openRoom'>
  readonly clock: Clock & MonotonicClock
  readonly nextId: () => string
  readonly log: Log
  /** An act ends before the next begins: of two who ban each other, one is banned. */
  readonly serial: Serial
}
