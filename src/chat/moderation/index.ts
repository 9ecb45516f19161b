/** Who may be where: bans, mutes, members, archived and deleted rooms, what is kept and purged. */
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
