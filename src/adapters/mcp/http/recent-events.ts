import type { EventStore } from '@modelcontextprotocol/server'

type Message = Parameters<EventStore['storeEvent']>[1]

/** One event of one of a session's streams. */
interface Stored {
  readonly number: number
  readonly stream: string
  readonly message: Message
  /** Characters of it in JSON. */
  readonly size: number
}

/** Events that one session keeps at most. */
const MAX_EVENTS = 256

/**
 * The newest events of a session, of at most `maxSize` characters: a client whose stream broke comes back with the id of the
 * last one that it got, and is sent those that followed. An id is the event's number and its stream, so that it can be read
 * also when the event is gone.
 */
export function createRecentEvents(maxSize: number): EventStore {
  const events: Stored[] = []
  let last = 0
  let size = 0

  function dropOldest(): void {
    while (events.length > MAX_EVENTS || size > maxSize) size -= events.shift()?.size ?? size
  }

  return {
    async storeEvent(stream, message) {
      const event = { number: ++last, stream, message, size: JSON.stringify(message).length }
      events.push(event)
      size += event.size
      dropOldest()
      return idOf(event)
    },
    async replayEventsAfter(id, { send }) {
      const { number, stream } = readId(id)
      const missed = events.filter((event) => event.stream === stream && event.number > number)
      for (const event of missed) await send(idOf(event), event.message)
      return stream
    },
  }
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
