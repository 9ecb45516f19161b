import { dataDirOf } from '../../config/config.ts'
import type { CommandLine } from '../../config/flags.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { askForReload } from '../reload-socket.ts'

/**
 * Has the server of a data directory read its config again, with the flags that it was started with, and prints how that
 * went. Resolves to the exit status: 1 if something was wrong. Rejects if no server answers.
 */
export async function reload(line: CommandLine): Promise<number> {
  const { taken, problems, notes } = await askForReload(dataDirOf(line))
  for (const problem of problems) process.stderr.write(`sshawl: ${cleanLine(problem)}\n`)
  for (const note of notes) console.log(cleanLine(note))
  console.log(outcome(taken, problems.length))
  return problems.length === 0 ? 0 : 1
}

function outcome(taken: boolean, problems: number): string {
  if (!taken) return 'nothing was changed: the old config stays in force'
  return problems === 0
    ? 'the config was read again'
    : 'the config was read again and is in force, but for the files that are named above'
}
