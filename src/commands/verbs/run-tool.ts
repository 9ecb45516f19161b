import { entryJson } from '../../chat/entry-json.ts'
import type { ToolResultEntry } from '../../chat/entry.ts'
import { Refusal, StorageError } from '../../chat/errors.ts'
import type { Log } from '../../chat/ports.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import { ALLOW_FLAG, type CallerPermissions } from '../allow-flag.ts'
import { JSON_FLAG, type Call, type Command } from '../command.ts'

/** One tool for a person, with no model present. */
export function runToolCommand(runs: ToolRuns, permissionsOf: CallerPermissions, log: Log): Command {
  return {
    name: 'run',
    summary: 'run a tool yourself: run calculator {"expression":"2+2"}',
    room: 'here',
    flags: [JSON_FLAG, ALLOW_FLAG],
    parameters: [{ name: 'tool' }, { name: 'json', optional: true, takes: 'rest' }],
    async run(call) {
      const result = start(call, await permissionsOf(call))
      if (call.session)
        return void result.then((entry) => tell(call, entry)).catch((error) => warn(call, error))
      return print(call, await result)
    },
  }

  function start({ room, person, args, signal }: Call, how: Awaited<ReturnType<CallerPermissions>>) {
    const { tool, json = '' } = args
    return runs.run({ room: room!, person, tool: tool!, args: json, signal, ...how })
  }

  /** The session goes on meanwhile, so that the person can answer what the tool asks. */
  function warn({ out, room }: Call, error: unknown): void {
    if (error instanceof Refusal) return out.warn(error.message)
    if (error instanceof StorageError) return out.warn(`not stored: ${error.message}`)
    log.error({ error, room: room!.name }, 'a tool run threw')
    out.warn('something went wrong on the server; it was logged')
  }
}

/** The room shows whether it went well and the first line of an error; the person reads all of it. */
function tell({ out, flags }: Call, entry: ToolResultEntry): void {
  if (flags['json']) return out.line(JSON.stringify(entryJson(entry)))
  if (!entry.isError || entry.text.includes('\n')) out.line(entry.text)
}

function print({ out, flags }: Call, entry: ToolResultEntry): void | false {
  if (flags['json']) out.line(JSON.stringify(entryJson(entry)))
  else if (entry.isError) out.warn(entry.text)
  else out.write(entry.text.endsWith('\n') ? entry.text : `${entry.text}\n`)
  return entry.isError ? false : undefined
}
