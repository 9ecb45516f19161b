import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { TooLong, type MessageText } from './paced.ts'
import { failAnswer, readMessages } from './tolerant.ts'

/** The requests of one connection that wait for their answers, and how these are read. */
export class Asked {
  private readonly waiting = new Set<RequestId>()

  /** Adds a message if it is a request, and returns its id. */
  add(message: unknown): RequestId | undefined {
    if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message))
      return
    const { id } = message
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.waiting.add(id)
    return id
  }

  /** Messages for the SDK. `only` is the request that the text answers, alone or, in a stream, among other messages. */
  read({ text, isCut }: MessageText, only?: RequestId, isStream = false): JSONRPCMessage[] {
    const asked = only === undefined ? [...this.waiting] : [only]
    const messages = isCut
      ? failAnswer(text, asked, new TooLong().message)
      : readMessages(text, asked, only !== undefined && !isStream)
    for (const one of messages) if (!('method' in one) && one.id !== undefined) this.waiting.delete(one.id)
    return messages
  }
}
