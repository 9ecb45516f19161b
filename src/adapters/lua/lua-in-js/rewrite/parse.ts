import { type Chunk, type Options, parse } from 'luaparse'

/** A chunk that is no Lua; the message has the chunk's name and line. */
export class LuaSyntaxError extends Error {
  override readonly name = 'LuaSyntaxError'
}

/**
 * The tree of a Lua 5.3 text, with lines. The text is a binary string: one character a byte, as Lua reads it.
 * Throws `LuaSyntaxError`.
 */
export function parseLua(source: string, chunkName: string): Chunk {
  try {
    // The types know an older luaparse, which had no encodings.
    const options = {
      luaVersion: '5.3',
      encodingMode: 'pseudo-latin1',
      locations: true,
      comments: false,
      wait: false,
    }
    return parse(source.replace(/^#[^\n]*/, ''), options as Partial<Options> & { wait: false })
  } catch (error) {
    throw new LuaSyntaxError(describe(error, chunkName))
  }
}

/** luaparse writes `[line:column] message`. */
function describe(error: unknown, chunkName: string): string {
  if (error instanceof RangeError) return `${chunkName}:1: the chunk has too many syntax levels`
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^\[(\d+):\d+\] /, (_, line: string) => `${chunkName}:${line}: `)
}
