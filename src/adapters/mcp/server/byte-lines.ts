import { createIdFinder, type IdFinder, type RequestId } from './request-id.ts'

/** A line that was too long to keep. */
export interface LongLine {
  /** Of the request on it; null if there is none. */
  readonly id: RequestId
}

/**
 * The lines of an input, without their ends; empty ones are left out. Of one that is longer than `maxBytes`, only the id is
 * given, which may come last: the line is never in memory as a whole.
 */
export async function* linesOfBytes(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array | LongLine, void, void> {
  let parts: Uint8Array[] = []
  let size = 0
  let long: IdFinder | undefined

  function add(part: Uint8Array): void {
    size += part.length
    if (size <= maxBytes) return void parts.push(part)
    long ??= createIdFinder()
    for (const one of [...parts.splice(0), part]) long.take(one)
  }

  function end(): Uint8Array | LongLine | undefined {
    const line = long ? { id: long.id() } : Buffer.concat(parts)
    parts = []
    size = 0
    long = undefined
    return 'id' in line || !isBlank(line) ? line : undefined
  }

  for await (const chunk of input) {
    for (let from = 0; from < chunk.length;) {
      const lineEnd = chunk.indexOf(LF, from)
      const part = chunk.subarray(from, lineEnd === -1 ? undefined : lineEnd)
      from += part.length + 1
      add(part)
      if (lineEnd === -1) break
      const line = end()
      if (line) yield line
    }
  }
  // What was cut off in the middle is told as such: it is no JSON.
  const last = end()
  if (last) yield last
}

const LF = 10
const CR = 13

const isBlank = (line: Uint8Array): boolean => line.length === 0 || (line.length === 1 && line[0] === CR)
