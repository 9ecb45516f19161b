/**
 * The lines of an input, without their ends; empty ones are left out. One that is longer than `maxBytes` is `too-long`: it is
 * given once, as soon as that is known, and is never in memory as a whole.
 */
export async function* linesOfBytes(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array | 'too-long', void, void> {
  let parts: Uint8Array[] = []
  let size = 0
  let isTooLong = false

  for await (const chunk of input) {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(LF, from)
      const part = chunk.subarray(from, end === -1 ? undefined : end)
      size += part.length
      from += part.length + 1
      if (size > maxBytes) {
        if (!isTooLong) yield 'too-long'
        isTooLong = true
        parts = []
      } else parts.push(part)
      if (end === -1) break
      const line = Buffer.concat(parts)
      if (!isTooLong && !isBlank(line)) yield line
      parts = []
      size = 0
      isTooLong = false
    }
  }
  // What was cut off in the middle is told as such: it is no JSON.
  const last = Buffer.concat(parts)
  if (!isTooLong && !isBlank(last)) yield last
}

const LF = 10
const CR = 13

const isBlank = (line: Uint8Array): boolean => line.length === 0 || (line.length === 1 && line[0] === CR)
