import { counted } from '../../../lib/plural.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import { nameIn, type McpAction, type McpContext } from './action.ts'
import type { ChangedTool } from './ports.ts'

/** Lines of one tool's difference that people are shown. A server's text may be long. */
const MAX_LINES = 200

/** `mcp approve`: shows how the tools that are withheld have changed, and has just these definitions hold. */
export const approve: McpAction = async (servers, context) => {
  const { flags, out, person } = context
  const name = nameIn(context)
  const changed = await servers.review(name, { approve: !flags.show, by: person })
  if (flags.json) return out.line(safeJson({ name, approved: !flags.show, tools: changed.map(asJson) }))
  if (changed.length === 0) return out.line(`no tool of ${name} is withheld; nothing was approved`)
  for (const tool of changed) await print(tool, out)
  const tools = counted(changed.length, 'tool')
  out.line(
    flags.show
      ? `${tools} of ${name} withheld; /mcp approve ${name} approves what it is then, and shows it`
      : `${tools} of ${name} approved`,
  )
}

async function print({ id, isKnown, lines }: ChangedTool, out: McpContext['out']): Promise<void> {
  await out.ready()
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`)
  const rest = lines.length - shown.length
  const more = rest > 0 ? [`  … and ${counted(rest, 'more line')}: --json has them all`] : []
  out.line([isKnown ? `${id}:` : `${id}, never seen before:`, ...shown, ...more].join('\n'))
}

const asJson = ({ id, isKnown, lines }: ChangedTool) => ({ id, known: isKnown, difference: lines })
