/** Bans, mutes, memberships, archived and deleted rooms, and how long lines are kept. */
export type { ActResult } from './acting.ts'
export type { ListedSanction } from './acts.ts'
export { Clients, type OpenClient, enforceDeletions, enforceSanctions } from './clients.ts'
export { Keeping, pause } from './keeping.ts'
export { type Moderation, createModeration } from './moderation.ts'
export type {
  RetentionStore,
  RoomRemoval,
  Sanction,
  SanctionStore,
  ServerForModeration,
  StoppedWork,
} from './ports.ts'
export { Sanctions } from './sanctions.ts'
