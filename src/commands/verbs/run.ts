import { entryJson } from '../../chat/entry-json.ts'
import type { ToolResultEntry } from '../../chat/entry.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { findToolsDefinition } from '../../prompt/find-tools.ts'
import type { ToolRuns } from '../../toolbox/tool-runs.ts'
import type { Turns } from '../../turns/turns.ts'
import { ALLOW_FLAG, ALLOW_NOTE, type CallerPermissions } from './shared/allow-flag.ts'
import { type Command, JSON_FLAG, type Output, defineCommand } from '../command.ts'

/** One tool for a person, with no model present. */
export const runCommand = (
  runs: Pick<ToolRuns, 'run'>,
  turns: Pick<Turns, 'scope'>,
  permissionsOf: CallerPermissions,
): Command =>
  defineCommand({
    name: 'run',
    summary: 'run a tool yourself: run calculator {"expression":"2+2"}',
    room: 'here',
    flags: [JSON_FLAG, ALLOW_FLAG],
    arguments: [
      { name: 'tool', about: 'its name, as tools lists it' },
      { name: 'json', about: 'its arguments', optional: true, takes: 'rest' },
    ],
    example: 'calculator {"expression":"2+2"}',
    rights: { note: ALLOW_NOTE },
    complete: async (here) =>
      here.argument === 'tool'
        ? [...(await turns.scope(here)).tools.map(({ tool }) => tool.name), findToolsDefinition.name]
        : [],
    async run(context) {
      const { room, person, args, flags, signal, out, session } = context
      const how = await permissionsOf(context, flags.allow)
      const result = runs.run({ room, person, tool: args.tool, args: args.json ?? '', signal, ...how })
      if (!session) return print(out, await result, flags.json)
      // The session goes on meanwhile, so that the person can answer what the tool asks.
      session.inBackground(result.then((entry) => tell(out, entry, flags.json)))
    },
  })

/** The room shows whether it went well and the first line of an error; the person reads all of it. */
function tell(out: Output, entry: ToolResultEntry, asJson: boolean): void {
  if (asJson) return out.line(safeJson(entryJson(entry)))
  if (!entry.isError || entry.text.includes('\n')) out.line(entry.text)
}

function print(out: Output, entry: ToolResultEntry, asJson: boolean): void | false {
  if (asJson) out.line(safeJson(entryJson(entry)))
  else if (entry.isError) out.warn(entry.text)
  else out.write(entry.text.endsWith('\n') ? entry.text : `${entry.text}\n`)
  return entry.isError ? false : undefined
}
