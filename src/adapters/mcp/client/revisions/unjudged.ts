import type { EndingTransport } from '../stdio.ts'

/** Begins the name of a method as the SDK has it; no method of the protocol begins so. */
const MARK = 'unjudged:'

/**
 * A method whose results the SDK gives as they are. It checks those of the revision of 2026-07-28 to the letter, and refuses a
 * whole list for one tool that is none; what we read of them has checks of its own.
 */
export const unjudged = (method: string): string => `${MARK}${method}`

/** What the SDK says of such a method, in the protocol's words. */
export const withoutMark = (text: string): string => text.replaceAll(MARK, '')

/** A transport that sends such methods by their own names. */
export function sendingUnjudged<T extends EndingTransport>(transport: T): T {
  const send = transport.send.bind(transport)
  return Object.assign(transport, {
    send: ((message, options) => {
      const isMarked = 'method' in message && message.method.startsWith(MARK)
      return send(isMarked ? { ...message, method: message.method.slice(MARK.length) } : message, options)
    }) satisfies EndingTransport['send'],
  })
}
