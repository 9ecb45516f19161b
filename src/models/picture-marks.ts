import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Picture } from '../words/picture.ts'

/** A multiple of three, so that base64 pieces can be joined. */
const BYTES_AT_ONCE = 768 * 1024

/**
 * Marks that replace the base64 of pictures until a request is sent: libraries copy a body several times,
 * which blocks the whole server for a second with a few large pictures.
 */
export class PictureMarks {
  readonly #pictures = new Map<string, Uint8Array>()

  /** Returns a unique mark, which JSON does not escape. */
  add({ bytes }: Picture): string {
    const mark = randomUUID()
    this.#pictures.set(mark, bytes)
    return mark
  }

  /** Replaces the marks in the request's JSON by the pictures' base64. */
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
