import type { EventStore } from '@modelcontextprotocol/server'
import { roomOf } from '../server/room-uri.ts'

type Message = Parameters<EventStore['storeEvent']>[1]

/** One event of one of a session's streams. */
interface Stored {
  readonly number: number
  readonly stream: string
  readonly message: Message
  /** That it tells of; undefined for what is of none, and for answers. */
  readonly room: string | undefined
  /** Characters of it in JSON. */
  readonly size: number
}

/** Events that one session keeps at most. */
const MAX_EVENTS = 256

/**
 * The newest events of a session, of at most `maxSize` characters: a client whose stream broke comes back with the id of the
 * last one that it got, and is sent those that followed. An id is the event's number and its stream, so that it can be read
 * also when the event is gone. What happened in a room that the person does not see any more is not told again: `sees` is asked
 * when the client comes back, and may reject.
 */
export function createRecentEvents(maxSize: number, sees: (room: string) => Promise<boolean>): EventStore {
  const events: Stored[] = []
  let last = 0
  let kept = 0

  function dropOldest(): void {
    while (events.length > MAX_EVENTS || kept > maxSize) kept -= events.shift()?.size ?? kept
  }

  /** Asks of each room once, also of those that come meanwhile: when this resolves, all is known. */
  async function seenOf(missed: () => readonly Stored[]): Promise<(event: Stored) => boolean> {
    const known = new Map<string | undefined, boolean>([[undefined, true]])
    for (;;) {
      const next = missed().find(({ room }) => !known.has(room))
      if (next?.room === undefined) return ({ room }) => known.get(room) === true
      known.set(next.room, await sees(next.room))
    }
  }

  return {
    async storeEvent(stream, message) {
      const size = JSON.stringify(message).length
      const event = { number: ++last, stream, message, room: roomIn(message), size }
      events.push(event)
      kept += size
      dropOldest()
      return idOf(event)
    },
    async replayEventsAfter(id, { send }) {
      const { number, stream } = readId(id)
      const missed = (): readonly Stored[] =>
        events.filter((event) => event.stream === stream && event.number > number)
      const isSeen = await seenOf(missed)
      for (const event of missed().filter(isSeen)) await send(idOf(event), event.message)
      return stream
    },
  }
}

/** A log message names the log that it is from, and what says that a room changed, the room. */
function roomIn(message: Message): string | undefined {
  const { uri, logger } = ('method' in message && message.params) || {}
  return [uri, logger].flatMap((one) => (typeof one === 'string' ? (roomOf(one) ?? []) : []))[0]
}

const idOf = ({ number, stream }: Pick<Stored, 'number' | 'stream'>): string => `${number}.${stream}`

/** Of what is no id of ours, a stream that there is not. */
function readId(id: string): Pick<Stored, 'number' | 'stream'> {
  const [, number = '0', stream = ''] = /^(\d{1,15})\.(.+)$/.exec(id) ?? []
  return { number: Number(number), stream }
}

/** What the SDK calls the stream on which a session hears all that is no answer. */
const STANDALONE = '_GET_stream'

/** Whether a client that asks for the events after this one, or for none of the past, listens to all that happens. */
export const isForAll = (lastEventId: string | null): boolean =>
  lastEventId === null || readId(lastEventId).stream === STANDALONE
