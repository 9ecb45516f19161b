import { isDeepStrictEqual } from 'node:util'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { writtenForms } from './written-forms.ts'

/** Shorter texts are too often words that a result has by chance. */
export const SHORTEST_MASKED = 8

/** What stands in place of a secret. */
export const MASK = '***'

/** Objects in which something was replaced, each with what was: in the forms in which it stood there. */
export type MaskedObjects = WeakMap<object, Set<string>>

/**
 * Has a transport hand on what it receives without these secrets: a server may send back what it was given, in a result, an
 * error, its progress or the description of a tool. They are asked for with each message, since a login gets new ones. Objects in
 * which something was replaced are added to `changed`.
 */
export function receivingMasked<T extends Transport>(
  transport: T,
  secrets: () => readonly string[],
  changed: MaskedObjects = new WeakMap(),
): T {
  const pattern = rememberedPattern(secrets)
  let receive: Transport['onmessage']
  return Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set(next: Transport['onmessage']) {
      receive =
        next &&
        ((message, extra) => {
          maskIn(message, pattern(), changed)
          next(message, extra)
        })
    },
  })
}

/** Whom it is for stays as it is; nobody is shown that. */
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method'])

/** In place, and not by recursion: whoever wrote the message chose its nesting, and its size. */
function maskIn(message: JSONRPCMessage, pattern: RegExp | undefined, changed: MaskedObjects): void {
  if (!pattern) return
  const open: object[] = []
  const found = new Set<string>()
  const look = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) open.push(value)
    return typeof value === 'string' || typeof value === 'number' ? masked(value, pattern, found) : value
  }
  for (const [part, value] of Object.entries(message)) if (!ENVELOPE.has(part)) look(value)
  for (let one = open.pop(); one; one = open.pop())
    for (const name of Object.keys(one)) {
      found.clear()
      const before: unknown = Reflect.get(one, name)
      const after = look(before)
      const shown = masked(name, pattern, found)
      if (after === before && shown === name) continue
      changed.set(one, new Set([...(changed.get(one) ?? []), ...found]))
      if (shown !== name) Reflect.deleteProperty(one, name)
      Reflect.set(one, shown, after)
    }
}

/** The same for as long as the secrets are the same: a key of many lines has many forms. */
function rememberedPattern(secrets: () => readonly string[]): () => RegExp | undefined {
  let known: readonly string[] = []
  let pattern: RegExp | undefined
  return () => {
    const now = secrets()
    if (isDeepStrictEqual(now, known)) return pattern
    known = now
    pattern = patternOf(now)
    return pattern
  }
}

/** All of them in all their forms at once, the longest first, so that one pass is enough however many there are. */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  const forms = secrets.filter((secret) => secret.length >= SHORTEST_MASKED).flatMap(writtenForms)
  if (forms.length === 0) return undefined
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g')
}

/** What is replaced is added to `found`. */
function masked<T extends string | number>(value: T, pattern: RegExp, found: Set<string>): T | string {
  const text = String(value)
  if (text.length < SHORTEST_MASKED) return value
  const shown = text.replace(pattern, (form) => {
    found.add(form)
    return MASK
  })
  return shown === text ? value : shown
}
