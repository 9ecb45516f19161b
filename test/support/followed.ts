import { FollowedRooms } from '../../src/chat/followed-rooms.ts'
import { createLastSeen } from '../../src/chat/personal/last-seen.ts'
import type { Talk } from '../../src/chat/talk/talk.ts'
import type { ChatParts } from './chat-parts.ts'

/** What is kept of the rooms of people, for tests without turns. */
export function followedIn(
  { rooms, storage, clock, log }: Pick<ChatParts, 'rooms' | 'storage' | 'clock' | 'log'>,
  { ignores }: Pick<Talk, 'ignores'>,
) {
  const lastSeen = createLastSeen(storage.chat.lastSeen, clock, log)
  const preferences = { settingsOf: async () => () => ({}) }
  const parts = { rooms, lastSeen, ignores, preferences, clock, log }
  const followed = new FollowedRooms({ ...parts, isAnswerTo: () => false })
  return { lastSeen, followed }
}
