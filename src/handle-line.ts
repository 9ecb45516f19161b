import type { SessionCaller } from './commands/caller.ts'
import type { ExitStatus, Runner } from './commands/runner.ts'

/** What a line was, and how running it ended. */
export interface HandledLine {
  readonly kind: 'nothing' | 'command' | 'speech'
  readonly status: ExitStatus
}

/**
 * What happens to a line that somebody entered in a session: `/verb …` is a command, everything else is said in
 * the room. A text that begins with a slash is said with two: `//etc is full`. Never throws: the runner tells of trouble.
 */
export async function handleLine(line: string, caller: SessionCaller, runner: Runner): Promise<HandledLine> {
  if (line.trim() === '') return { kind: 'nothing', status: 0 }
  if (line.startsWith('/') && !line.startsWith('//'))
    return { kind: 'command', status: await runner.command(line.slice(1), caller) }
  const text = line.startsWith('//') ? line.slice(1) : line
  return { kind: 'speech', status: await runner.speech(text, caller) }
}
