import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { cleanLine, cleanText } from '../../base/text/clean-text.ts'
import { checkArguments } from '../arguments.ts'
import type { PageRequest, Web, WebPage, SearchHit, WebSearch } from '../web.ts'
import type { ToolContext } from '../context.ts'
import { ok, type ToolResult } from '../results/result.ts'
import type { Question, Tool } from '../tool.ts'

const input = z.strictObject({
  url: z.string().min(1).max(4096).describe('With http:// or https://.'),
  format: z
    // Some models name the type of what the server sends.
    .preprocess(
      (format) => (format === 'json' || format === 'html' ? 'raw' : format),
      z.enum(['markdown', 'text', 'raw']),
    )
    .describe('text: no marks or links; raw: as the server sent it.')
    .default('markdown'),
})

export function webFetch(visit: NonNullable<Web['visit']>): Tool {
  const fetchPage = async ({ url, format }: FetchArguments, { signal }: ToolContext): Promise<ToolResult> =>
    pageText(await visit(url).read(format, signal))

  const base: Tool = defineTool({
    id: 'web_fetch',
    title: 'Fetch Web Page',
    description:
      'Reads one page of the public web. HTML comes as the Markdown of its readable part; plain text, ' +
      'JSON and XML as they are.',
    access: 'network',
    input,
    // An invalid address is refused before a person is asked.
    asks: ({ url }) => question(visit(url)),
    run: async (args, context) => fetchPage(args, context),
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

type FetchArguments = z.output<typeof input>

const question = ({ host, url }: PageRequest): Question => ({
  target: host,
  detail: url,
  asked: `fetch ${url}?`,
})

/** Sanitizes the page first, so that an open escape sequence cannot hide the line after it. */
const pageText = (page: WebPage): ToolResult => ({
  ...ok([heading(page), cleanText(page.text), ...(page.cut ? [CUT] : [])].join('\n')),
  outside: { from: 'page', head: 1, tail: page.cut ? 1 : 0 },
})

const CUT = '[The page goes on; this is all of it that is read.]'

function heading({ url, status, contentType, title }: WebPage): string {
  const name = cleanLine(title).slice(0, 200)
  const titled = name === '' ? '' : `, titled ${JSON.stringify(name)}`
  return `${cleanLine(url)} answered ${status}, ${contentType}${titled}.`
}

export function googleSearch(search: WebSearch): Tool {
  const tool = defineTool({
    id: 'google_search',
    title: 'Web Search',
    description:
      'Searches the web. Gives a numbered list of titles, addresses and snippets, about ten at a time.',
    access: 'network',
    input: z.strictObject({
      query: z.string().trim().min(1).max(400).describe('What to search for.'),
      start: z
        .int()
        .min(1)
        .max(91)
        .describe('Number of the first result; 11 for the second page.')
        .default(1),
    }),
    asks: ({ query }) => ({
      target: search.host,
      detail: `search for ${JSON.stringify(query)} with ${search.provider} at ${search.host}`,
      asked: `search for ${JSON.stringify(query)}?`,
    }),
    run: async ({ query, start }, { signal }) => {
      const hits = await search.find({ words: query, start }, signal)
      if (hits.length === 0) return ok(noResultsText(start))
      const content = hits.map((hit, index) => line(hit, start + index)).join('\n\n')
      return { ...ok(content), outside: { from: 'search engine', head: 0, tail: 0 } }
    },
  })
  return {
    ...tool,
    asks: (args, context) => tool.asks!(withQuery(args), context),
    run: (args, context) => tool.run(withQuery(args), context),
  }
}

/** Accepts `q` as the query, as some models call it. */
function withQuery(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || !('q' in args)) return args
  const { q, ...rest } = args
  const hasQuery = 'query' in rest && rest.query !== null && rest.query !== undefined
  return hasQuery ? args : { ...rest, query: q }
}

const noResultsText = (start: number): string =>
  start > 1 ? `No results from number ${start} on.` : 'No results; try other or fewer words.'

/** Formats a result, whose texts strangers wrote. */
function line({ title, url, snippet }: SearchHit, number: number): string {
  const words = cleanLine(snippet).slice(0, 600)
  const name = cleanLine(title).slice(0, 200) || '(no title)'
  return [
    `${number}. ${name}`,
    `   ${cleanLine(url).slice(0, 2000)}`,
    ...(words ? [`   ${words}`] : []),
  ].join('\n')
}
