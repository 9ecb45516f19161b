import { randomUUID } from 'node:crypto'
import { endOfString } from '../../base/json.ts'

/** Marks an ID in messages to the SDK. The mark is secret, so no client's text can contain it. */
const MARK = `${randomUUID()}:`

/** Members that a client expects back unchanged, by nesting level. */
const LEVELS = new Map([
  ['"id"', 1],
  ['"requestId"', 2],
  ['"progressToken"', 3],
])

/** Matches all messages with a large ID, and few others. */
const LONG_NUMBER = /\d{16}/

const INTEGER = /-?(?:0|[1-9]\d*)(?![\d.eE])/y

/** In a message's JSON, replaces IDs above 2^53, which a JavaScript number cannot represent, by texts. */
export function replaceLargeIds(json: string): string {
  if (!LONG_NUMBER.test(json)) return json
  let [level, key, result, copied] = [0, '', '', 0]
  for (let at = 0; at < json.length; at++) {
    const character = json[at] ?? ''
    if (character === '"') {
      const end = endOfString(json, at)
      key = json.slice(at, end + 1)
      at = end
    } else if ('{['.includes(character)) level += 1
    else if ('}]'.includes(character)) level -= 1
    else if (/[-\d]/.test(character)) {
      INTEGER.lastIndex = at
      const number = INTEGER.exec(json)?.[0] ?? character
      if (LEVELS.get(key) === level && !Number.isSafeInteger(Number(number))) {
        result += `${json.slice(copied, at)}"${MARK}${number}"`
        copied = at + number.length
      }
      at += number.length - 1
    }
  }
  return result + json.slice(copied)
}

const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

export const restoreLargeIds = (json: string): string => json.replace(MARKED, '$1')

/** Restores the IDs in the response to a message. Its events and JSON texts must be one chunk each. */
export function restoreResponseIds(asked: string, response: Response): Response {
  if (!LONG_NUMBER.test(asked) || !response.body) return response
  const restore = new TransformStream<string, string>({
    transform: (chunk, out) => out.enqueue(restoreLargeIds(chunk)),
  })
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(restore)
    .pipeThrough(new TextEncoderStream())
  return new Response(body, response)
}
