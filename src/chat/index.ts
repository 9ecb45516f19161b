/** Rooms and their logs. Does no I/O except through ports. Must not know models, prompts or terminals. */
export { type RoomLookup, mayManage } from './access.ts'
export type { AgentListener, WrittenMessage } from './agent-listener.ts'
export { FollowedRooms, type FollowingParts, type FollowingSession } from './followed-rooms.ts'
export {
  type ByteQuota,
  type QuotaKey,
  type RateLimiter,
  createByteQuota,
  createQuotaLedger,
  createRateLimiter,
  quotaKeyName,
  quotaKeysOf,
} from './limits.ts'
export { createLocalBus } from './local-bus.ts'
export { createLocalPeers } from './local-peers.ts'
export {
  type Broadcasts,
  type Peers,
  type QuestionCounts,
  type QuestionKey,
  type Questions,
  type RemoteQuestion,
  type RemoteWork,
  SERVER_LOST,
  type Slot,
  type SlotLimits,
  type Slots,
  type Work,
} from './peers.ts'
export {
  type AppendResult,
  type DayStats,
  type EntryLog,
  type EntrySize,
  type FoundEntries,
  type LogQuery,
  type LogStats,
  type LoginFacts,
  MAX_AUTHORS,
  MAX_DAYS,
  type Membership,
  type Participant,
  type PeopleStore,
  type RenamedRoom,
  type RoomBus,
  type RoomRecord,
  type RoomStore,
  type SearchQuery,
} from './ports.ts'
export {
  TODO_KEY,
  TODO_STATUSES,
  readTodo,
  renameInExits,
  todoText,
  valuesWithExits,
  visibleExits,
} from './room-values.ts'
export { Pins } from './pins.ts'
export { type RoomNews, countText } from './room-news.ts'
export type { Room } from './room.ts'
export { Rooms } from './rooms.ts'
export { Talks } from './talks.ts'
