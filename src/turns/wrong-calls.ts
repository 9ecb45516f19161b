import type { Log } from '../base/environment.ts'
import { parseArguments, type ToolCall, type Toolbox } from '../wrap/toolbox/index.ts'
import type { FinishReason } from '../wrap/loop/index.ts'

/** Refuses calls that the end of the answer cut off, and tells the model why. */
export function refusingCutCalls(
  toolbox: Toolbox,
  calls: readonly ToolCall[],
  { reason }: FinishReason,
): Pick<Toolbox, 'run'> {
  if (reason !== 'length' && reason !== 'window') return toolbox
  const limit = reason === 'length' ? 'reached max_output' : 'filled the window'
  return {
    run: async (call, signal) =>
      isCut(call, call === calls.at(-1))
        ? await toolbox.refuse(call, `${call.name}: the answer ${limit}; send less at once`)
        : await toolbox.run(call, signal),
  }
}

/** True if arguments are incomplete. The last call may lack all of them. */
function isCut({ arguments: args }: ToolCall, isLast: boolean): boolean {
  const parsed = parseArguments(args)
  return parsed.ok ? isLast && Object.keys(parsed.value).length === 0 : true
}

/** Notifies the log and admins, once for each model while the server runs. */
export function createWrittenCallNotice(log: Log, tellAdmins: (text: string) => void) {
  const told = new Set<string>()
  return (model: string): void => {
    if (told.has(model)) return
    told.add(model)
    log.warn({ model }, 'a model wrote a tool call as text')
    tellAdmins(`@${model} wrote a tool call as text: its server's tool parser is off; ${SEE_DOCS}`)
  }
}

const SEE_DOCS = 'docs/models.md says how to turn it on'
