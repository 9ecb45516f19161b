import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { cleanLine } from '../../lib/clean-text.ts'
import type { SearchHit, WebSearch } from '../ports/web.ts'
import { ok, type Tool } from '../tool.ts'
import { fenced } from '../untrusted.ts'

/** Searches the web with the configured provider. Models know the tool by this name, whatever the provider. */
export const googleSearch = (search: WebSearch): Tool =>
  defineTool({
    id: 'google_search',
    title: 'Web Search',
    description:
      'Searches the web and answers with a numbered list of titles, addresses and snippets, about ten at a time. ' +
      'Give start to see later results. A person is asked first.',
    access: 'network',
    input: z.strictObject({
      q: z.string().trim().min(1).max(400),
      start: z.int().min(1).max(91).default(1),
    }),
    parameters: { q: 'What to search for.', start: 'Number of the first result; 11 for the second page.' },
    asks: ({ q }) => ({
      target: search.host,
      detail: `search for ${JSON.stringify(q)} with ${search.provider} at ${search.host}`,
      asked: `search for ${JSON.stringify(q)}?`,
    }),
    run: async ({ q, start }, { signal }) => {
      const hits = await search.find({ words: q, start }, signal)
      if (hits.length === 0) return ok(nothing(start))
      return ok(fenced('results', hits.map((hit, index) => line(hit, start + index)).join('\n\n')))
    },
  })

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
