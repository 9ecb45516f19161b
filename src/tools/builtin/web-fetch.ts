import { z } from 'zod'
import { cleanLine } from '../../lib/clean-text.ts'
import { checkArguments } from '../arguments.ts'
import { withPermission } from '../permission.ts'
import { WebError, type Visit, type Web, type WebPage } from '../ports.ts'
import {
  defineTool,
  failed,
  ok,
  type Tool,
  type ToolContext,
  type ToolResult,
  type WrappedCall,
  type WrapRequest,
} from '../tool.ts'
import { fenced } from '../untrusted.ts'

const input = z.strictObject({
  url: z.string().min(1).max(4096),
  format: z.enum(['markdown', 'text', 'raw']).default('markdown'),
})

/** A page of the public web; `.tool` files may be built on it, and then call it with its own parameters. */
export function webFetch(visit: NonNullable<Web['visit']>): Tool {
  const tool: Tool = defineTool({
    id: 'web_fetch',
    title: 'Fetch Web Page',
    description:
      'Reads one page of the public web: the readable part of an HTML page as Markdown, or plain text, JSON and ' +
      'XML as they are. Private addresses are refused. A person is asked first.',
    access: 'network',
    input,
    parameters: {
      url: 'The whole address, with http:// or https://.',
      format: '"markdown", "text" (no marks or links) or "raw" (what the server sent, HTML and all).',
    },
    run: async (args, context) => fetchPage({ tool: 'web_fetch', ask: true, args }, visit, context),
    wrap: (request) => wrapped(request, tool, visit),
  })
  return tool
}

/** A call that is ready to run. */
interface Call {
  readonly tool: string
  readonly ask: boolean
  readonly args: z.output<typeof input>
}

/** Its parameters are taken as they are; words of a template have no meaning here. */
function wrapped(
  { tool, access, args }: WrapRequest,
  base: Tool,
  visit: NonNullable<Web['visit']>,
): WrappedCall {
  const call = { tool, ask: access !== 'read', args: checkArguments(input, base.schema, args) }
  return {
    shown: `fetch ${cleanLine(call.args.url)}`,
    run: (context) => fetchPage(call, visit, context),
  }
}

/** What cannot be visited is refused before anybody is asked. */
async function fetchPage(
  call: Call,
  visit: NonNullable<Web['visit']>,
  context: ToolContext,
): Promise<ToolResult> {
  const { tool, ask, args } = call
  try {
    const place = visit(args.url)
    const run = async (): Promise<ToolResult> => await readPage(call, place, context)
    return ask ? await withPermission(context, question(tool, place), run) : await run()
  } catch (error) {
    if (error instanceof WebError) return failed(`${tool}: ${error.message}`)
    throw error
  }
}

const question = (tool: string, { host, url }: Visit) => ({
  tool,
  access: 'network' as const,
  target: host,
  detail: `${url}\n(a grant is for every page of ${host})`,
  asked: `fetch ${url}?`,
})

async function readPage({ args }: Call, place: Visit, context: ToolContext): Promise<ToolResult> {
  const page = await place.read(args.format, context.signal)
  return ok([heading(page), fenced('page', page.text), ...(page.cut ? [CUT] : [])].join('\n'))
}

const CUT = '[The page goes on; this is all of it that is read.]'

function heading({ url, status, contentType, title }: WebPage): string {
  const name = cleanLine(title).slice(0, 200)
  return `${cleanLine(url)} answered ${status}, ${contentType}${name === '' ? '' : `, titled ${JSON.stringify(name)}`}.`
}
