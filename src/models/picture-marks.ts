import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Picture } from '../words/picture.ts'

/** Bytes that are encoded at a time: a multiple of three, so that the pieces of base64 join. */
const BYTES_AT_ONCE = 768 * 1024

/**
 * Marks that replace the base64 of pictures in one request until it is sent: libraries copy a body several
 * times, which takes a second for a few large pictures, while nobody else on the server is served.
 */
export class PictureMarks {
  readonly #pictures = new Map<string, Uint8Array>()

  /** Returns a mark that no text has. JSON does not escape it. */
  add({ bytes }: Picture): string {
    const mark = randomUUID()
    this.#pictures.set(mark, bytes)
    return mark
  }

  /** Puts the pictures into the JSON text of the request, in pieces. */
  async fill(text: string): Promise<string | Blob> {
    const marks = [...this.#pictures.keys()]
    if (marks.length === 0) return text
    const parts: (string | Blob)[] = []
    for (const part of text.split(new RegExp(`(${marks.join('|')})`))) {
      const bytes = this.#pictures.get(part)
      parts.push(...(bytes ? await encode(bytes) : [part]))
    }
    return new Blob(parts)
  }
}

async function encode(bytes: Uint8Array): Promise<readonly Blob[]> {
  const parts: Blob[] = []
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    await nextTurn()
    parts.push(new Blob([Buffer.from(bytes.subarray(at, at + BYTES_AT_ONCE)).toString('base64')]))
  }
  return parts
}
