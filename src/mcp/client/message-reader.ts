import { setTimeout as wait } from 'node:timers/promises'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { bytes } from '../../base/amounts.ts'
import { errorMessage } from '../../base/errors.ts'
import { fullAfter, waitFor, type Rate } from '../../base/token-bucket.ts'

type Fields = Readonly<Record<string, unknown>>

/** Limit of remembered unanswered requests; the oldest is dropped first. */
const MAX_WAITING = 1_000

const SERVER_ERROR = -32_000

/**
 * Converts a server's texts to messages that the SDK accepts: treats null as absent, repairs invalid forms
 * that can be read, and turns an unreadable answer into an error. One reader serves one connection.
 */
export class MessageReader {
  readonly #waiting = new Map<RequestId, string>()

  /** Records a sent message. Returns its ID if the message is a request. */
  sent(message: unknown): RequestId | undefined {
    if (!isObject(message)) return undefined
    const { id, method, params } = message
    if (method === 'notifications/cancelled' && isObject(params) && isId(params['requestId']))
      this.#waiting.delete(params['requestId'])
    if (!isId(id) || typeof method !== 'string') return undefined
    this.#waiting.set(id, method)
    if (this.#waiting.size > MAX_WAITING) this.#waiting.delete([...this.#waiting.keys()][0] ?? id)
    return id
  }

  /** Reads a text that answers `only`, if known. With `isReply`, any other text fails that request. */
  read({ text, isCut }: MessageText, only?: RequestId, isReply = false): JSONRPCMessage[] {
    const asked = only === undefined ? [...this.#waiting.keys()] : [only]
    if (isCut) return this.#fail(text, asked, () => new TooLong().message)
    const unreadable = (why: string): JSONRPCMessage[] =>
      this.#fail(text, asked, (method) => `its answer to ${method} could not be read: ${why}`)
    let value: unknown
    try {
      value = JSON.parse(text.replace(/^\uFEFF/, ''))
    } catch (error) {
      return isReply || text.includes('"jsonrpc"') ? unreadable(errorMessage(error)) : []
    }
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    const messages = values.flatMap((one) => this.#toMessages(one, asked, isReply))
    return messages.length === 0 && isReply ? unreadable('it is no message of the protocol') : messages
  }

  #toMessages(value: unknown, asked: readonly RequestId[], isReply: boolean): JSONRPCMessage[] {
    if (!isObject(value)) return []
    const isMarked = 'jsonrpc' in value || 'result' in value || 'error' in value
    dropNulls(value)
    const { method, params, id, result, error } = value
    if (typeof method === 'string') {
      const more = { ...(isId(id) ? { id } : {}), ...(isObject(params) ? { params } : {}) }
      return [{ jsonrpc: '2.0', method, ...more }]
    }
    const known = asked.find((one) => String(one) === String(id))
    const answered = known ?? (asked.length === 1 && (isReply || id === undefined) ? asked[0] : id)
    if (!isMarked || !isId(answered)) return []
    const of = this.#waiting.get(answered)
    this.#waiting.delete(answered)
    return isError(error)
      ? [{ jsonrpc: '2.0', id: answered, error: toErrorObject(error) }]
      : [{ jsonrpc: '2.0', id: answered, result: toSdkResult(of, result) }]
  }

  /** Returns an error for the request that the text answers; [] if that request is unknown. */
  #fail(text: string, asked: readonly RequestId[], messageFor: (method: string) => string): JSONRPCMessage[] {
    const [, named] = /"id"\s*:\s*"?([^",}\s]+)/.exec(text) ?? []
    const id = asked.find((one) => String(one) === named) ?? (asked.length === 1 ? asked[0] : undefined)
    if (id === undefined) return []
    const message = messageFor(this.#waiting.get(id) ?? 'a request')
    this.#waiting.delete(id)
    return [{ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } }]
  }
}

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keys whose own value may be null. */
const NULLABLE_KEYS: readonly string[] = ['default', 'const']
/** Keys whose value is data, in which nulls are kept. */
const DATA_KEYS = ['structuredContent', 'toolResult', 'enum', 'examples', ...NULLABLE_KEYS]

/** Removes nulls in place, without recursion, because the server chose the nesting depth. */
function dropNulls(message: object): void {
  const open: object[] = [message]
  for (let one = open.pop(); one; one = open.pop())
    for (const [name, value] of Object.entries(one) as [string, unknown][]) {
      if (value === null && !Array.isArray(one) && !NULLABLE_KEYS.includes(name))
        Reflect.deleteProperty(one, name)
      else if (typeof value === 'object' && value !== null && !DATA_KEYS.includes(name)) open.push(value)
    }
}

/** Some servers send an empty error with each result. */
const isError = (error: unknown): boolean =>
  Boolean(error) && !(isObject(error) && Object.keys(error).length === 0)

function toErrorObject(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data }: Fields = isObject(error) ? error : { message: error }
  return {
    code: Number.isSafeInteger(code) ? Number(code) : SERVER_ERROR,
    message: typeof message === 'string' ? message : JSON.stringify(message ?? error),
    ...(data === undefined ? {} : { data }),
  }
}

/** Key of the original result of a list or a call, for `toolPage` and `readResult`. */
export const RAW = 'raw'

/** Empty values of required fields: the SDK would refuse a whole result for one unknown tool or block. */
const REQUIRED = { resultType: 'complete', tools: [], content: [], ttlMs: 0, cacheScope: 'private' }

function toSdkResult(method: string | undefined, result: unknown): Record<string, unknown> {
  const isComplete = !isObject(result) || (result['resultType'] ?? 'complete') === 'complete'
  if (isComplete && (method === 'tools/list' || method === 'tools/call'))
    return { ...REQUIRED, [RAW]: result }
  if (!isObject(result)) return {}
  const { protocolVersion, supportedVersions, capabilities } = result
  const { listChanged = false }: Fields =
    isObject(capabilities) && isObject(capabilities['tools']) ? capabilities['tools'] : {}
  // Declares tools for every server, because every server is asked for tools.
  const able = { capabilities: { tools: { listChanged: listChanged === true } } }
  if (method === 'server/discover') return { ...REQUIRED, ...able, supportedVersions }
  if (method !== 'initialize') return { ...result }
  return {
    ...able,
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : ASSUMED_REVISION,
    serverInfo: { name: '', version: '' },
  }
}

const ASSUMED_REVISION = '2025-03-26'

/** Parsing blocks the process for about 10 ms per MiB (JSON and checks, Node 20). */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** A longer message ends the connection. */
const MAX_SKIPPED_BYTES = 64 * 1024 * 1024

/** Bytes kept from the start of a message that is too long, because its ID may be there. */
const HEAD_BYTES = 4_096

/** Rate of messages read from one server; further messages wait in the server's pipe. */
const MESSAGE_RATE: Rate = { burst: 1_000, everyMs: 1 }

export class TooLong extends Error {
  override readonly name = 'TooLong'
  constructor() {
    super(`it sent a message of more than ${bytes(MAX_MESSAGE_BYTES)}`)
  }
}

export interface MessageText {
  readonly text: string
  /** True if the message was too long; `text` is its beginning. */
  readonly isCut: boolean
}

/**
 * Collects the pieces of one message. If it is too long, replaces images and sounds by their sizes, because
 * nobody reads their bytes; if it still is, keeps its beginning. Throws `TooLong` at 64 MiB.
 */
export class BoundedMessage {
  #pieces: Buffer[] = []
  #size = 0
  #total = 0
  #isCut = false

  add(piece: Buffer): void {
    this.#total += piece.length
    if (this.#total > MAX_SKIPPED_BYTES) throw new TooLong()
    if (this.#isCut) return
    this.#pieces.push(piece)
    this.#size += piece.length
    if (this.#size > MAX_MESSAGE_BYTES) this.#shrink()
  }

  take(): MessageText {
    const text = Buffer.concat(this.#pieces).toString('utf8')
    const isCut = this.#isCut
    this.#pieces = []
    this.#size = this.#total = 0
    this.#isCut = false
    return { text, isCut }
  }

  #shrink(): void {
    const json = Buffer.concat(this.#pieces).toString('latin1')
    const short = Buffer.from(shortenMedia(json), 'latin1')
    // Shrinking reads the whole message, so a small gain is not worth a repetition.
    this.#isCut = short.length > MAX_MESSAGE_BYTES / 2
    this.#pieces = [this.#isCut ? short.subarray(0, HEAD_BYTES) : short]
    this.#size = short.length
  }
}

/** The key of an image or a sound, and the quote before its base64. */
const BEFORE_MEDIA = /"(?:data|blob)"\s*:\s*"/g
const MIN_MEDIA_CHARS = 1_024
const OTHER_THAN_BASE64 = /[^\w+/=\\-]/
const REPLACED = /#(\d+)#/g

/**
 * Replaces base64 by its length. No regular expression repeats over the base64: V8 would store up to 18 bytes
 * for each character, and throws a `RangeError` at 64 MiB.
 */
function shortenMedia(json: string): string {
  let short = ''
  let done = 0
  for (const { 0: before, index } of json.matchAll(BEFORE_MEDIA)) {
    const from = index + before.length
    const quote = json.indexOf('"', from)
    const base64 = json.slice(from, quote < 0 ? undefined : quote)
    if (base64.length < MIN_MEDIA_CHARS || OTHER_THAN_BASE64.test(base64.replaceAll(REPLACED, ''))) continue
    short += `${json.slice(done, from)}#${base64Length(base64)}#`
    done = from + base64.length
  }
  return short + json.slice(done)
}

/** Counts characters of base64, including those that `BoundedMessage` replaced by their number. */
export function base64Length(base64: string): number {
  const replaced = [...base64.matchAll(REPLACED)].reduce((sum, [, count]) => sum + Number(count), 0)
  return base64.replaceAll(REPLACED, '').length + replaced
}

/** Returns a function that yields complete lines without their ends. Throws `TooLong`. */
export function createLineSplitter(): (piece: Uint8Array) => Iterable<MessageText> {
  const line = new BoundedMessage()
  return function* (piece) {
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line.add(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      yield line.take()
    }
    line.add(rest)
  }
}

/** Returns a function that resolves when the next message may be read. Calls `slowed` at the first wait. */
export function createMessagePace(slowed: () => void): () => Promise<void> {
  let fullAt = 0
  let isSlowed = false
  return async () => {
    const now = performance.now()
    fullAt = fullAfter(fullAt, now, MESSAGE_RATE.everyMs)
    const ms = waitFor(fullAt, now, MESSAGE_RATE)
    if (ms <= 0) return
    if (!isSlowed) slowed()
    isSlowed = true
    await wait(ms, undefined, { ref: false })
  }
}
