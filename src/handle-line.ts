import type { CallerContext, ExitStatus, Runner } from './commands/run.ts'

/**
 * What happens to a line that somebody entered in a session: `/verb …` is a command, everything else is said in
 * the room. What begins with a slash is said with two: `//etc is full`.
 */
export async function handleLine(line: string, caller: CallerContext, runner: Runner): Promise<ExitStatus> {
  if (line.trim() === '') return 0
  if (line.startsWith('//')) return runner.speech(line.slice(1), caller)
  if (line.startsWith('/')) return runner.command(line.slice(1), caller)
  return runner.speech(line, caller)
}
