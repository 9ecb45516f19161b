import type { CallerContext, RunLine } from './commands/run.ts'

/** What a session does with one line that was entered; never throws. */
export type HandleLine = (line: string, caller: CallerContext) => Promise<unknown>

/**
 * What happens to a typed line: `/verb …` is a command, everything else is said in the room. A text that
 * begins with a slash is said with two: `//etc is full`.
 */
export function createHandleLine(run: RunLine): HandleLine {
  return async (line, caller) => {
    if (line.trim() === '') return
    if (line.startsWith('//')) return run(`say ${line.slice(1)}`, caller)
    if (line.startsWith('/')) return run(line.slice(1), caller)
    return run(`say ${line}`, caller)
  }
}
