import { isObject, hasContent, parseIfJson, asList, asObject, type Fields } from './loose.ts'
import { LimitError } from './fetch.ts'

const MAX_MS_AT_ONCE = 5
const MAX_CHARS_AT_ONCE = 64 * 1024

/** Limits a line's length, because each new chunk searches the line from its start. */
const MAX_LINE_CHARS = 1024 * 1024

/** Limits comments and empty events, which keep a connection open but are not an answer. */
const MAX_BYTES_WITHOUT_USE = 8 * 1024 * 1024

export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
  /** The beginning of an invalid body, shown to people; undefined if the answer was cut off. */
  readonly text: string | undefined
  constructor(text?: string) {
    super(text === undefined ? 'the stream ended without an end' : 'no event of an answer')
    this.text = text?.slice(0, 500)
  }
}

/**
 * Parses a provider's body into JSON objects: stream events, JSON lines, or one JSON text. This file knows no
 * provider's protocol. It skips comments, texts and other fields, but never an error's text.
 */
export class BodyEvents {
  /** True after `[DONE]`. */
  saysDone = false
  /** Bytes since the last useful event. The reader of the events resets it to 0. */
  bytesWithoutUse = 0
  #rest = ''
  /** The `data` fields of one event, whose texts are joined. */
  #parts: string[] = []
  /** The `event` field: the type of an event whose JSON names no type. */
  #type = ''
  /** Lines that are not events. */
  #plain: string[] = []

  /**
   * Yields the events. Lets other work run every 5 ms or 64 K characters. Throws `BrokenAnswer` for an
   * invalid event or body, `LimitError` for a long line or too much useless data, or the body's error.
   */
  async *read(body: ReadableStream<Uint8Array>): AsyncGenerator<Fields> {
    const decoder = new TextDecoder()
    let since = performance.now()
    let chars = 0
    let isEmpty = true
    for await (const chunk of body) {
      this.bytesWithoutUse += chunk.length
      const lines = (this.#rest + decoder.decode(chunk, { stream: true })).split(LINE_END)
      this.#rest = lines.pop() ?? ''
      for (const line of lines) {
        for (const event of this.#eventsIn(line)) {
          isEmpty = false
          yield event
        }
        chars += line.length + 1
        if (chars < MAX_CHARS_AT_ONCE && performance.now() - since < MAX_MS_AT_ONCE) continue
        await new Promise(setImmediate)
        since = performance.now()
        chars = 0
      }
      const isEndless = this.bytesWithoutUse > MAX_BYTES_WITHOUT_USE || this.#rest.length > MAX_LINE_CHARS
      if (isEndless) throw new LimitError('answerBytes')
    }
    const last = this.#eventsIn(this.#rest + decoder.decode())
    yield* last
    const text = [...this.#parts, ...this.#plain].join('\n')
    const value = parseIfJson(text)
    if (isObject(value)) yield* this.#events(value)
    else if (isEmpty && last.length === 0) throw broken(text)
  }

  #eventsIn(untrimmed: string): readonly Fields[] {
    const line = untrimmed.trim()
    if (line === '') return this.#endOfEvent()
    if (line.startsWith(':')) return []
    if (DONE.test(line)) {
      this.saysDone = true
      return []
    }
    const [all, field] = FIELD.exec(line) ?? ['']
    const text = line.slice(all.length)
    if (field === undefined) return this.#plainLine(line)
    if (field === 'data') return this.#dataIn(text)
    if (field === 'event') this.#type = text === 'message' ? '' : text
    if (field !== 'error') return []
    // llama.cpp before October 2025 sent errors in a field `error:` of the stream (tools/server/server.cpp).
    const error = parseIfJson(text) ?? text
    return [hasContent(asObject(error)['error']) ? asObject(error) : { error }]
  }

  #dataIn(text: string): readonly Fields[] {
    const isFirst = this.#parts.length === 0
    const value = isFirst ? parseIfJson(text) : undefined
    if (typeof value === 'object') return this.#events(value)
    const isJson = /^[[{]/.test(text)
    const saysError = this.#type === 'error' || SAYS_ERROR.test(text)
    if (isFirst && saysError && !text.startsWith('{')) return [{ error: value ?? text }]
    if (!isFirst || isJson) this.#parts.push(text)
    return []
  }

  #endOfEvent(): readonly Fields[] {
    const text = this.#parts.join('\n')
    const found = text === '' ? [] : parseIfJson(text)
    if (typeof found !== 'object') throw broken(text)
    const events = this.#events(found)
    this.#parts = []
    this.#type = ''
    return events
  }

  #events(value: object | null): readonly Fields[] {
    const type = this.#type
    return asList(value).map((one) => (type ? { type, ...asObject(one) } : asObject(one)))
  }

  #plainLine(line: string): readonly Fields[] {
    const value = this.#plain.length === 0 && /^[[{]/.test(line) ? parseIfJson(line) : undefined
    if (typeof value === 'object') return this.#events(value)
    this.#plain.push(line)
    return []
  }
}

/** Does not quote broken JSON, because people learn nothing from it. */
const broken = (text: string): BrokenAnswer => new BrokenAnswer(/^\s*[[{]/.test(text) ? '' : text)

/** LF, CRLF or CR. A CR at the end of a chunk does not match yet, because its LF may follow. */
const LINE_END = /\r?\n|\r(?!$)/

const FIELD = /^(?:(data|event|error|id|retry):\s*)+/

const DONE = /^(?:data:\s*)?"?\[DONE\]"?$/i

const SAYS_ERROR = /^[[(]?(?:[\w-]+ ){0,3}error\b/i
