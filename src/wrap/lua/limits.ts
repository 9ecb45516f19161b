import { WrapError } from '../ports.ts'

/** Limits of one composition. */
export interface LuaLimits {
  readonly timeMs: number
  readonly memoryBytes: number
}

/** The error that ends a script at its time limit; lua/sandbox.lua lets no pcall catch it. */
export const TIME_LIMIT_ERROR = 'the script ran out of its time'
/** Lua's error at its memory limit (lmem.c). */
export const MEMORY_LIMIT_ERROR = 'not enough memory'

const MAX_MESSAGE_CHARACTERS = 500

/** Converts a Lua error for people: to its first line, or to the limit that was reached. */
export function luaError(message: string, { timeMs, memoryBytes }: LuaLimits): WrapError {
  const line = message.split('\n', 1)[0]?.slice(0, MAX_MESSAGE_CHARACTERS) ?? ''
  const where = /^script:\d+: /.exec(line)?.[0] ?? 'script: '
  if (line.includes(TIME_LIMIT_ERROR)) {
    return new WrapError('limit', `${where}it runs longer than ${timeMs} ms`)
  }
  if (line.includes(MEMORY_LIMIT_ERROR)) {
    return new WrapError('limit', `${where}it needs more than ${memoryBytes / 1024 / 1024} MiB of memory`)
  }
  // lua/wrap.lua begins errors about a wrong argument this way.
  return new WrapError(/^(\S+:\d+: )?wrap: /.test(line) ? 'argument' : 'script', line)
}

/** Throws `WrapError` if the layers have more bytes than a job accepts. */
export function checkOutput(bytes: number, maxOutput: number): void {
  if (bytes <= maxOutput) return
  throw new WrapError('limit', `wrap: the layers are ${bytes} bytes, at most ${maxOutput} can be used`)
}
