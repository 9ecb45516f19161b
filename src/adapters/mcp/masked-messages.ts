import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** Shorter texts are too often words that a result has by chance. */
export const SHORTEST_MASKED = 8

/**
 * Has a transport hand on what it receives without these secrets: a server may send back what it was given, in a result, an
 * error, its progress or the description of a tool. They are asked for with each message, since a login gets new ones.
 */
export function receivingMasked<T extends Transport>(transport: T, secrets: () => readonly string[]): T {
  let receive: Transport['onmessage']
  return Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set(next: Transport['onmessage']) {
      receive =
        next &&
        ((message, extra) => {
          maskIn(message, secrets())
          next(message, extra)
        })
    },
  })
}

/** Whom it is for stays as it is; nobody is shown that. */
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method'])

/** In place, and not by recursion: whoever wrote the message chose its nesting, and its size. */
function maskIn(message: JSONRPCMessage, secrets: readonly string[]): void {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_MASKED)
  if (known.length === 0) return
  const pattern = patternOf(known)
  const open: object[] = []
  const look = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) open.push(value)
    return typeof value === 'string' || typeof value === 'number' ? masked(value, pattern) : value
  }
  for (const [part, value] of Object.entries(message)) if (!ENVELOPE.has(part)) look(value)
  for (let one = open.pop(); one; one = open.pop())
    for (const name of Object.keys(one)) {
      const before: unknown = Reflect.get(one, name)
      const after = look(before)
      const shown = masked(name, pattern)
      if (after === before && shown === name) continue
      if (shown !== name) Reflect.deleteProperty(one, name)
      Reflect.set(one, shown, after)
    }
}

/** All of them at once, the longest first, so that one pass is enough however many there are. */
const patternOf = (secrets: readonly string[]): RegExp =>
  new RegExp(
    secrets
      .toSorted((a, b) => b.length - a.length)
      .map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('|'),
    'g',
  )

function masked<T extends string | number>(value: T, pattern: RegExp): T | string {
  const text = String(value)
  if (text.length < SHORTEST_MASKED) return value
  const shown = text.replace(pattern, '***')
  return shown === text ? value : shown
}
