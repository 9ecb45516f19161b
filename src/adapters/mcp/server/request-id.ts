import { isJsonObject, parseJson, type Json } from '../../../lib/json.ts'

/** The id of a request, as an answer repeats it; null where there is none. */
export type RequestId = string | number | null

/** Finds the id of a request whose bytes are too many to keep. */
export interface IdFinder {
  /** Takes the next bytes of it. */
  take(bytes: Uint8Array): void
  /** Null for what is no request, too: its id would be taken for that of an answer to it. */
  id(): RequestId
}

/** Bytes of a member of the message that are kept until its end: an id is shorter, with its name. */
const MAX_MEMBER = 2_048

export function createIdFinder(): IdFinder {
  let depth = 0
  let isInText = false
  let isEscaped = false
  let member: number[] = []
  let id: Json | undefined
  let isRequest = false

  /** Takes a member of the message itself, such as `"id":7`. Of two with one name the last counts, as everywhere. */
  function endMember(): void {
    if (member.length <= MAX_MEMBER) {
      const read = objectOf(`{${Buffer.from(member).toString()}}`)
      if (Object.hasOwn(read, 'id')) id = read['id']
      if (typeof read['method'] === 'string') isRequest = true
    }
    member = []
  }

  function keep(byte: number): void {
    if (depth > 0 && member.length <= MAX_MEMBER) member.push(byte)
  }

  function takeInText(byte: number): void {
    if (isEscaped) isEscaped = false
    else if (byte === BACKSLASH) isEscaped = true
    else if (byte === QUOTE) isInText = false
    keep(byte)
  }

  function take(byte: number): void {
    if (isInText) return takeInText(byte)
    if (byte === QUOTE) isInText = true
    if (OPENING.has(byte) && depth++ === 0) return
    if ((CLOSING.has(byte) && --depth === 0) || (byte === COMMA && depth === 1)) return endMember()
    keep(byte)
  }

  return {
    take(bytes) {
      for (const byte of bytes) take(byte)
    },
    id: () => (isRequest ? repeatable(id) : null),
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING: ReadonlySet<number> = new Set(Buffer.from('{['))
const CLOSING: ReadonlySet<number> = new Set(Buffer.from('}]'))

function objectOf(text: string) {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Characters of an id that an error repeats. */
const MAX_ID = 256

/** An id that an error repeats; null for anything else. */
export const repeatable = (id: Json | undefined): RequestId =>
  (typeof id === 'string' && id.length <= MAX_ID) || typeof id === 'number' ? id : null
