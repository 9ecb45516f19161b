import type { LineReaders } from '../../src/chat/talk/own-lines.ts'
import { Talk } from '../../src/chat/talk/talk.ts'
import type { ChatParts } from './chat-parts.ts'

/** Where nothing is summed up and no model answers. */
const nobodyReads: LineReaders = {
  answering: () => undefined,
  forget: async (_room, _entry, record) => void (await record()),
}

/** The limits of what people say in tests. */
export const SPOKEN_LIMITS = { message_chars: 100, paste_bytes: 1000, message_lines: 10 }

/** What people do with what was said, over a store in memory; 10 messages may wait for one person, and 12 for all. */
export const talkOver = (
  { storage, peers, clock, nextId, log }: Pick<ChatParts, 'storage' | 'peers' | 'clock' | 'nextId' | 'log'>,
  readers = nobodyReads,
): Promise<Talk> =>
  Talk.open({
    people: storage.chat.people,
    stores: storage.talk,
    readers,
    limits: { ...SPOKEN_LIMITS, waiting_messages_per_person: 10, waiting_messages: 12 },
    peers,
    nextId,
    clock,
    log,
  })
