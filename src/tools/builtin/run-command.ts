import { z } from 'zod'
import { visibleLine } from '../../base/text/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import { ArgumentError } from '../arguments.ts'
import { buildArgv, quoteArgv } from '../argv.ts'
import type { ProcessOutcome, ProcessSpec } from '../workspace.ts'
import type { ToolContext } from '../context.ts'
import { failed, ok, type ToolResult } from '../results/result.ts'
import type { Question, WrappedCall, WrapRequest } from '../tool.ts'

const input = z.strictObject({
  command: z.string().min(1).max(32_768).describe('For /bin/sh.'),
  working_dir: z.string().describe('In the workspace.').optional(),
  network: z.boolean().describe('With the network.').default(false),
})

/** Also the base of `.tool` files with `@command`. */
export const runCommand = defineTool({
  id: 'run_command',
  title: 'Run Command',
  description:
    "Runs a shell command in the workspace's sandbox. Only the workspace can be written; no input, limited " +
    'time.',
  access: 'execute',
  input,
  asks: async (args, context) => {
    if (args.working_dir !== undefined) await context.workspace.checkDirectory(args.working_dir)
    return question(prepared(args), context)
  },
  run: async (args, context) => execute(prepared(args), context),
  wrap: wrapped,
  wrapsCommand: true,
})

interface PreparedCommand {
  readonly tool: string
  readonly shown: string
  readonly spec: ProcessSpec
  readonly listsNames?: boolean
}

const prepared = ({ command, working_dir: cwd, network }: z.output<typeof input>): PreparedCommand => ({
  tool: 'run_command',
  shown: command,
  spec: { shell: command, network, cwd },
})

function wrapped({ tool, access, words, args }: WrapRequest): WrappedCall {
  if (words === null) throw new ArgumentError('run_command can be wrapped only with a @command')
  const argv = buildArgv(words, args)
  const shown = quoteArgv(argv)
  const readOnly = access === 'read'
  const listsNames = readOnly && PRINTS_NAMES.test(argv[0] ?? '')
  const command = { tool, shown, spec: { argv, readOnly }, listsNames }
  return {
    shown,
    asks: (context) => question(command, context),
    run: (context) => execute(command, context),
  }
}

async function execute(command: PreparedCommand, { workspace, limits, signal }: ToolContext) {
  const { spec, listsNames } = command
  const run = (each: ProcessSpec): Promise<ProcessOutcome> => workspace.run(each, limits, signal)
  if (!listsNames || !('argv' in spec)) return report(command, await run(spec))
  const outcome = await run({ ...spec, argv: ['/bin/sh', '-c', LIST_ODD_NAMES, ODD_NAME, ...spec.argv] })
  return report(command, { ...outcome, output: spellNames(outcome.output) })
}

/** Commands with the network or without a sandbox are allowed only once. */
function question({ shown, spec }: PreparedCommand, { workspace }: ToolContext): Question {
  const notes = [
    ...(spec.cwd ? [`in ${JSON.stringify(spec.cwd)}`] : []),
    ...(spec.network ? ['with the network'] : []),
    ...(workspace.unsandboxed ? ['without a sandbox'] : []),
  ]
  return {
    access: spec.network ? 'network' : 'execute',
    target: spec.cwd ? `cd ${quoteArgv([spec.cwd])} && ${shown}` : shown,
    detail: [shown, ...notes.map((note) => `(${note})`)].join('\n'),
    asked: `run '${shown}'${spec.network ? ' with the network' : ''}?`,
    onceOnly: Boolean(spec.network || workspace.unsandboxed),
  }
}

/** The notice comes first, because a long output is read page by page. */
function report({ tool, spec }: PreparedCommand, outcome: ProcessOutcome): ToolResult {
  const { output, exitCode, signal, notice } = outcome
  const note = notice === undefined ? '' : ` [${notice}]`
  if (exitCode === 0) return ok(notice === undefined ? output || NOTHING : `[${notice}]\n${output}`)
  if (exitCode === 1 && output === '' && isGrep(spec)) return ok('No matches.')
  const end =
    exitCode === undefined ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${exitCode}`
  return failed(`${tool}: the command ${end}${note}${output ? `\n${output}` : ' and wrote nothing'}`)
}

/** Programs that print names of files as they are, so that a line feed in one would forge a line. */
const PRINTS_NAMES = /(^|\/)(find|[ef]?grep)$/

/** For fnmatch(3): a name with control, bidi or zero-width characters. */
const ODD_NAME = '*[[:cntrl:]\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*'

/** Prints the paths with such names and then a `/`, each ended by a NUL, and becomes the command. */
const LIST_ODD_NAMES = `find . -name "$0" -print0 2>/dev/null | head -c 65536; printf '\\0/\\0'; exec "$@"`

/** More names would keep the server busy. */
const MAX_ODD_NAMES = 200

/** Returns the output after the list of odd names, with these names spelled out. */
function spellNames(listed: string): string {
  const paths = listed.split('\0')
  const end = paths.indexOf('/')
  if (end === -1) return ''
  const bases = paths.slice(0, end).map((path) => path.slice(path.lastIndexOf('/') + 1))
  const names = new Set(bases.filter((name) => name !== ''))
  const output = [...names]
    .slice(0, MAX_ODD_NAMES)
    .flatMap((name) => [`/${name}`, `\n${name}`])
    .reduce(
      (text, name) => text.replaceAll(name, () => name.charAt(0) + visibleLine(name.slice(1))),
      `\n${paths.slice(end + 1).join('\0')}`,
    )
  return output.slice(1)
}

const NOTHING = 'The command succeeded and wrote nothing.'

/** grep(1) exits with 1 if no line matches. */
const isGrep = (spec: ProcessSpec): boolean => 'argv' in spec && /(^|\/)[ef]?grep$/.test(spec.argv[0] ?? '')
