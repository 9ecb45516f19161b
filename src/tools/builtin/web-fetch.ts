import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import { checkArguments } from '../arguments.ts'
import { withPermission } from '../permission.ts'
import type { Visit, Web, WebPage } from '../ports/web.ts'
import { ok, type Tool, type ToolContext, type ToolResult } from '../tool.ts'
import { fenced } from '../untrusted.ts'

const input = z.strictObject({
  url: z.string().min(1).max(4096),
  format: z.enum(['markdown', 'text', 'raw']).default('markdown'),
})

/** A page of the public web; `.tool` files may be built on it, and then call it with its own parameters. */
export function webFetch(visit: NonNullable<Web['visit']>): Tool {
  /** An address that cannot be visited is refused before anybody is asked. */
  async function fetchPage({ tool, ask, args }: PreparedVisit, context: ToolContext): Promise<ToolResult> {
    const page = visit(args.url)
    const run = async (): Promise<ToolResult> => pageText(await page.read(args.format, context.signal))
    return ask ? withPermission(context, question(tool, page), run) : run()
  }

  const base: Tool = defineTool({
    id: 'web_fetch',
    title: 'Fetch Web Page',
    description:
      'Reads one page of the public web. HTML comes as the Markdown of its readable part; plain text, ' +
      'JSON and XML as they are.',
    access: 'network',
    input,
    parameters: {
      url: 'With http:// or https://.',
      format: 'text: no marks or links; raw: as the server sent it.',
    },
    run: async (args, context) => fetchPage({ tool: 'web_fetch', ask: true, args }, context),
    // Takes the parameters as they are. The words of a template are not used.
    wrap({ tool, access, args: given }) {
      const args = checkArguments(input, base.schema, given)
      return {
        shown: `fetch ${cleanLine(args.url)}`,
        run: (context) => fetchPage({ tool, ask: access !== 'read', args }, context),
      }
    },
  })
  return base
}

/** A visit that is ready to be made. */
interface PreparedVisit {
  readonly tool: string
  readonly ask: boolean
  readonly args: z.output<typeof input>
}

const question = (tool: string, { host, url }: Visit) => ({
  tool,
  access: 'network' as const,
  target: host,
  detail: `${url}\n(a grant is for every page of ${host})`,
  asked: `fetch ${url}?`,
})

const pageText = (page: WebPage): ToolResult =>
  ok([heading(page), fenced('page', page.text), ...(page.cut ? [CUT] : [])].join('\n'))

const CUT = '[The page goes on; this is all of it that is read.]'

function heading({ url, status, contentType, title }: WebPage): string {
  const name = cleanLine(title).slice(0, 200)
  return `${cleanLine(url)} answered ${status}, ${contentType}${name === '' ? '' : `, titled ${JSON.stringify(name)}`}.`
}
