import { expect, test } from 'vitest'
import { BACKENDS, PROVIDERS } from '../../../src/adapters/models/index.ts'
import type { JsonSchema } from '../../../src/lib/json.ts'
import { definitionTokens } from '../../../src/prompt/tool-definitions.ts'
import { tokenCounters } from '../../support/token-counters.ts'

test.each(BACKENDS)(
  'the figures for %s say where they come from, and when they were looked up',
  (backend) => {
    const { source, tolerance, factor } = PROVIDERS[backend].framing
    if (backend === 'guide') return expect({ tolerance, factor }).toEqual({ tolerance: 0, factor: 1 })
    expect(source).toMatch(/20\d\d-\d\d$/)
    expect(tolerance).toBeGreaterThan(0)
  },
)

/** Prompt tokens that OpenAI reported for a short system message and one function; openai.ts names the source. */
const reported: readonly (readonly [
  tokens: number,
  system: string,
  name: string,
  does: string,
  parameters: JsonSchema,
])[] = [
  [
    66,
    'You are a bot.',
    'search_sources',
    'Retrieve sources from the Azure AI Search index',
    {
      type: 'object',
      properties: {
        search_query: {
          type: 'string',
          description: "Query string to retrieve documents from azure search eg: 'Health care plan'",
        },
      },
      required: ['search_query'],
    },
  ],
  [
    49,
    'You are a bot.',
    'search_sources',
    'Retrieve sources from the Azure AI Search index',
    { type: 'object', properties: { search_query: { type: 'string' } } },
  ],
  [
    54,
    'You are a bot.',
    'data_demonstration',
    'This is the main function description',
    { type: 'object', properties: { integer_enum: { type: 'integer', enum: [-1, 1] } } },
  ],
]

test.each(reported)(
  'of a request that OpenAI counted as %i tokens we never expect less',
  (tokens, system, ...tool) => {
    const [name, description, parameters] = tool
    const counter = tokenCounters.of('cl100k_base')
    const { framing } = PROVIDERS.openai
    const ours =
      counter.count(system) +
      definitionTokens({ name, description, parameters }, framing, counter) +
      framing.perRequest +
      framing.perToolset
    expect(ours).toBeGreaterThanOrEqual(tokens)
    expect(ours).toBeLessThan(tokens * 1.5)
  },
)
