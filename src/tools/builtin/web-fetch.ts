import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import { checkArguments } from '../arguments.ts'
import type { Visit, Web, WebPage } from '../ports/web.ts'
import type { ToolContext } from '../context.ts'
import { ok, type ToolResult } from '../result.ts'
import type { Question, Tool } from '../tool.ts'

const input = z.strictObject({
  url: z.string().min(1).max(4096),
  format: z.enum(['markdown', 'text', 'raw']).default('markdown'),
})

/** A page of the public web; `.tool` files may be built on it, and then call it with its own parameters. */
export function webFetch(visit: NonNullable<Web['visit']>): Tool {
  const fetchPage = async ({ url, format }: Wanted, { signal }: ToolContext): Promise<ToolResult> =>
    pageText(await visit(url).read(format, signal))

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
    // An address that cannot be visited is refused before anybody is asked.
    asks: ({ url }) => question(visit(url)),
    run: async (args, context) => fetchPage(args, context),
    // Takes the parameters as they are. The words of a template are not used.
    wrap({ args: given }) {
      const args = checkArguments(input, base.schema, given)
      return {
        shown: `fetch ${cleanLine(args.url)}`,
        asks: () => question(visit(args.url)),
        run: (context) => fetchPage(args, context),
      }
    },
  })
  return base
}

type Wanted = z.output<typeof input>

const question = ({ host, url }: Visit): Question => ({
  target: host,
  detail: url,
  asked: `fetch ${url}?`,
})

/** The page is cleaned before a line follows it: what it leaves open must not take that line away. */
const pageText = (page: WebPage): ToolResult => ({
  ...ok([heading(page), cleanText(page.text), ...(page.cut ? [CUT] : [])].join('\n')),
  outside: { from: 'page', head: 1, tail: page.cut ? 1 : 0 },
})

const CUT = '[The page goes on; this is all of it that is read.]'

function heading({ url, status, contentType, title }: WebPage): string {
  const name = cleanLine(title).slice(0, 200)
  return `${cleanLine(url)} answered ${status}, ${contentType}${name === '' ? '' : `, titled ${JSON.stringify(name)}`}.`
}
