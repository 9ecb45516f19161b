import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import type { SearchHit, WebSearch } from '../ports/web.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'

/** Searches the web with the configured provider. Models know the tool by this name, whatever the provider. */
export function googleSearch(search: WebSearch): Tool {
  const tool = defineTool({
    id: 'google_search',
    title: 'Web Search',
    description:
      'Searches the web. Gives a numbered list of titles, addresses and snippets, about ten at a time.',
    access: 'network',
    input: z.strictObject({
      query: z.string().trim().min(1).max(400),
      start: z.int().min(1).max(91).default(1),
    }),
    parameters: {
      query: 'What to search for.',
      start: 'Number of the first result; 11 for the second page.',
    },
    asks: ({ query }) => ({
      target: search.host,
      detail: `search for ${JSON.stringify(query)} with ${search.provider} at ${search.host}`,
      asked: `search for ${JSON.stringify(query)}?`,
    }),
    run: async ({ query, start }, { signal }) => {
      const hits = await search.find({ words: query, start }, signal)
      if (hits.length === 0) return ok(nothing(start))
      const content = hits.map((hit, index) => line(hit, start + index)).join('\n\n')
      return { ...ok(content), outside: { from: 'search engine', head: 0, tail: 0 } }
    },
  })
  const { asks } = tool
  return {
    ...tool,
    ...(asks ? { asks: (args, context) => asks(withQuery(args), context) } : {}),
    run: (args, context) => tool.run(withQuery(args), context),
  }
}

/** Some models call the parameter `q`, as search engines do. */
function withQuery(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || !('q' in args)) return args
  const { q, ...rest } = args
  const hasQuery = 'query' in rest && rest.query !== null && rest.query !== undefined
  return hasQuery ? args : { ...rest, query: q }
}

const nothing = (start: number): string =>
  start > 1 ? `No results from number ${start} on.` : 'No results; try other or fewer words.'

/** The lengths are limited, because strangers wrote these texts. */
function line({ title, url, snippet }: SearchHit, number: number): string {
  const words = cleanLine(snippet).slice(0, 600)
  const name = cleanLine(title).slice(0, 200) || '(no title)'
  return [
    `${number}. ${name}`,
    `   ${cleanLine(url).slice(0, 2000)}`,
    ...(words ? [`   ${words}`] : []),
  ].join('\n')
}
