import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ArgumentError } from '../arguments.ts'
import { buildArgv, quoteArgv } from '../argv.ts'
import { withPermission } from '../permission.ts'
import type { ProcessOutcome, ProcessSpec } from '../ports/workspace.ts'
import type { ToolLimits } from '../limits.ts'
import { failed, ok, type ToolContext, type ToolResult, type WrappedCall, type WrapRequest } from '../tool.ts'

/** A shell command in the room's sandbox; also what `.tool` files with a `@command` are built on. */
export const runCommand = defineTool({
  id: 'run_command',
  title: 'Run Command',
  description:
    'Runs a shell command in the workspace, in a sandbox. Only the workspace can be written, there is no ' +
    'input, the time is limited, and there is no network unless asked for. Gives the output and the exit ' +
    'code.',
  access: 'execute',
  input: z.strictObject({
    command: z.string().min(1).max(32_768),
    working_dir: z.string().optional(),
    network: z.boolean().default(false),
  }),
  parameters: {
    command: 'For /bin/sh.',
    working_dir: 'Relative to the workspace.',
    network: 'If it needs the network.',
  },
  run: async ({ command, working_dir: cwd, network }, context) =>
    execute(
      { tool: 'run_command', shown: command, ask: true, spec: { shell: command, network, cwd } },
      context,
    ),
  wrap: wrapped,
  wrapsCommand: true,
})

/** A command that is ready to run. */
interface PreparedCommand {
  readonly tool: string
  /** As people read it. */
  readonly shown: string
  readonly ask: boolean
  readonly spec: ProcessSpec
}

function wrapped({ tool, access, words, args }: WrapRequest): WrappedCall {
  if (words === null) throw new ArgumentError('run_command can be wrapped only with a @command')
  const argv = buildArgv(words, args)
  const shown = quoteArgv(argv)
  const readOnly = access === 'read'
  return {
    shown,
    run: (context) => execute({ tool, shown, ask: !readOnly, spec: { argv, readOnly } }, context),
  }
}

async function execute(prepared: PreparedCommand, context: ToolContext): Promise<ToolResult> {
  const { ask, spec } = prepared
  const run = async (): Promise<ToolResult> =>
    report(prepared, await context.workspace.run(spec, ownLimits(context.limits), context.signal))
  return ask ? withPermission(context, question(prepared, context), run) : run()
}

/** A little less time than the tool itself has, so that the output until then can still be returned. */
const ownLimits = (limits: ToolLimits): ToolLimits => ({
  ...limits,
  timeoutMs: limits.timeoutMs - Math.min(1000, limits.timeoutMs / 10),
})

/** The question mentions the network and a missing sandbox; commands with either are allowed only once. */
function question({ tool, shown, spec }: PreparedCommand, { workspace }: ToolContext) {
  const notes = [
    ...(spec.cwd ? [`in ${spec.cwd}`] : []),
    ...(spec.network ? ['with the network'] : []),
    ...(workspace.unsandboxed ? ['without a sandbox'] : []),
  ]
  return {
    tool,
    access: spec.network ? ('network' as const) : ('execute' as const),
    target: spec.cwd ? `cd ${quoteArgv([spec.cwd])} && ${shown}` : shown,
    detail: [shown, ...notes.map((note) => `(${note})`)].join('\n'),
    asked: `run '${shown}'?`,
    onceOnly: Boolean(spec.network || workspace.unsandboxed),
  }
}

function report({ tool, spec }: PreparedCommand, outcome: ProcessOutcome): ToolResult {
  const { output, exitCode, signal } = outcome
  if (exitCode === 0) return ok(output || 'The command succeeded and wrote nothing.')
  if (exitCode === 1 && output === '' && isGrep(spec)) return ok('No matches.')
  const end =
    exitCode === undefined ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${exitCode}`
  return failed(`${tool}: the command ${end}${output ? `\n${output}` : ' and wrote nothing'}`)
}

/** grep(1): its exit status is 1 where no line was selected, and above 1 for an error. */
const isGrep = (spec: ProcessSpec): boolean => 'argv' in spec && /(^|\/)[ef]?grep$/.test(spec.argv[0] ?? '')
