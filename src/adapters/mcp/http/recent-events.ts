import { isJSONRPCRequest, isJSONRPCResponse, type EventStore } from '@modelcontextprotocol/server'
import type { Agent } from '../server/ports.ts'
import { roomOf } from '../server/room-uri.ts'

type Message = Parameters<EventStore['storeEvent']>[1]

/** One event of one of a session's streams. */
interface Stored {
  readonly number: number
  readonly stream: string
  readonly message: Message
  /** That it tells of; undefined for what is of none, and for answers. */
  readonly room: string | undefined
  /** How often the person had been put out of a room when this was asked for; undefined for what is no answer. */
  readonly putOuts: number | undefined
  /** Characters of it in JSON. */
  readonly size: number
}

/** Events that one session keeps at most. */
const MAX_EVENTS = 256

/** Requests whose answers may still come; of those before them nobody knows when they came. */
const MAX_ASKED = 256

/** The newest events of a session. */
export interface RecentEvents extends EventStore {
  /** The client has sent this. */
  asked(message: unknown): void
}

/**
 * The newest events of a session, of at most `maxSize` characters: a client whose stream broke comes back with the id of the
 * last one that it got, and is sent those that followed. An id is the event's number and its stream, so that it can be read
 * also when the event is gone. What happened in a room that the person does not see any more is not told again: `sees` is asked
 * when the client comes back, and may reject. An answer may be of any room, so that none is told again that was asked for
 * before the person was put out of one.
 */
export function createRecentEvents(
  maxSize: number,
  { sees, timesPutOut }: Pick<Agent, 'sees' | 'timesPutOut'>,
): RecentEvents {
  const events: Stored[] = []
  const askedAt = new Map<unknown, number>()
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

  function putOutsAt(stream: string, message: Message): number | undefined {
    if (stream === STANDALONE) return undefined
    return isJSONRPCResponse(message) ? (askedAt.get(message.id) ?? 0) : timesPutOut()
  }

  /** As it may be told again; undefined where nothing may. */
  function retold({ message, putOuts }: Stored): Message | undefined {
    if (putOuts === undefined || putOuts === timesPutOut()) return message
    return isJSONRPCResponse(message) ? { jsonrpc: '2.0', id: message.id ?? 0, error: NOT_RETOLD } : undefined
  }

  return {
    asked(message) {
      if (!isJSONRPCRequest(message)) return
      askedAt.delete(message.id)
      askedAt.set(message.id, timesPutOut())
      const [oldest] = askedAt.keys()
      if (askedAt.size > MAX_ASKED) askedAt.delete(oldest)
    },
    async storeEvent(stream, message) {
      const size = JSON.stringify(message).length
      const event = {
        number: ++last,
        stream,
        message,
        room: roomIn(message),
        putOuts: putOutsAt(stream, message),
        size,
      }
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
      for (const event of missed().filter(isSeen)) {
        const message = retold(event)
        if (message) await send(idOf(event), message)
      }
      return stream
    },
  }
}

const NOT_RETOLD = {
  code: -32_000,
  message: 'this answer is not told again, since you were taken out of a room meanwhile; what it did is done',
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
