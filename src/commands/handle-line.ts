import type { ExitStatus, Runner } from './runner.ts'
import type { SessionCaller } from './command.ts'
import { type EnteredLine, classifyLine } from './parse.ts'

export interface HandledLine {
  readonly kind: EnteredLine['kind']
  readonly status: ExitStatus
}

/** Runs a line that was entered in a session. Never rejects: the runner reports errors. */
export async function handleLine(
  line: string,
  caller: SessionCaller,
  runner: Pick<Runner, 'command' | 'speech'>,
): Promise<HandledLine> {
  const { kind, rest } = classifyLine(line)
  switch (kind) {
    case 'nothing':
      return { kind, status: 0 }
    case 'blank-before-slash':
      caller.out.warn(BLANK_BEFORE_SLASH)
      return { kind, status: 2 }
    case 'command':
      return { kind, status: await runner.command(rest, caller) }
    case 'speech':
      return { kind, status: await runner.speech(rest, caller) }
  }
}

const BLANK_BEFORE_SLASH =
  'nothing was said or done: the line has a space before its slash. Remove the space to run a command; to say the line, begin with //'
