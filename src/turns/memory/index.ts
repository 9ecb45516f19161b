/** What people ask models to remember, of a room and of themselves. */
export { Memories, memories, type RoomOrMe } from './memories.ts'
export type { MemoryOwner, MemoryStore, NewMemory, StoredMemory } from './ports.ts'
export { textsOfStrangers } from './strangers.ts'
