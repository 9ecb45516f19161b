import type { Dialect, Piece } from './answer.ts'
import {
  argumentsText,
  asCount,
  asList,
  asObject,
  asParsedObject,
  sumOf,
  asText,
  type Fields,
} from './loose.ts'
import { REQUEST_KEYS, versionedEndpoint, type ModelAccess, type Provider } from './provider.ts'
import { askBySdk, servedModel } from './served-model.ts'
import { thoughtTokens } from './settings.ts'

/** Caches up to here for 5 minutes (platform.claude.com/docs/en/build-with-claude/prompt-caching). */
const CACHE_MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** The API refuses a request with any other parameter name (github.com/n8n-io/n8n/issues/30590). */
const PARAMETER_NAMES = '^[a-zA-Z0-9_.-]{1,64}$'

export const anthropic: Provider = {
  create: servedModel({
    endpointOf: (access) => versionedEndpoint(access, 'https://api.anthropic.com'),
    ask: askBySdk({
      async load(options, { model }) {
        const { createAnthropic } = await import('@ai-sdk/anthropic')
        return createAnthropic(options)(model)
      },
      cacheMark: CACHE_MARK,
      picturesInResults: () => true,
      settings: anthropicSettings,
    }),
    dialect: anthropicDialect,
  }),
  framing: {
    perRequest: 16,
    perToolset: 804,
    perTool: 8,
    factor: 1.3,
    parameterNames: PARAMETER_NAMES,
    tolerance: 30,
    source:
      'docs.anthropic.com/en/docs/tool-use-pricing-and-tokens: a system prompt of 159 to 804 tokens by model and tool choice, the dearest taken; its newer tokenizers give about 30 % more than o200k; 2026-11',
  },
  // Width × height / 750; the newest models shrink only pictures above 4,784 tokens
  // (platform.claude.com/docs/en/build-with-claude/vision, 2026-11).
  pictures: () => ({ takes: true, rule: { kind: 'pixels', pixels: 750, least: 1, most: 4784 } }),
  required: ['model'],
  takes: REQUEST_KEYS,
  usual: {
    name: 'claude',
    model: 'claude-sonnet-4-5',
    context_window: 200_000,
    api_key_env: 'ANTHROPIC_API_KEY',
  },
}

/** Source: platform.claude.com/docs/en/api/messages */
function anthropicSettings(access: ModelAccess, maxOutput: number): Fields {
  const { temperature, topP, stop } = access
  return { temperature, top_p: topP, stop_sequences: stop, ...thinkingOf(access, maxOutput) }
}

/** The API's minimum of thinking tokens. */
const MIN_THOUGHT = 1024

/**
 * Models before 4.6 take a number of thinking tokens, later ones an effort. From 4.7 on they stream empty
 * thoughts unless asked for summaries (platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
function thinkingOf({ model, effort }: ModelAccess, maxOutput: number): Fields {
  if (!effort) return {}
  const [, major = 9, minor = 0] = /(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  const version = Number(major) + Number(minor) / 10
  const shown = version >= 4.7 ? { display: 'summarized' } : {}
  if (version >= 4.6) return { thinking: { type: 'adaptive', ...shown }, output_config: { effort } }
  if (maxOutput <= MIN_THOUGHT) return {}
  const budget_tokens = Math.max(MIN_THOUGHT, thoughtTokens(effort, maxOutput))
  return { thinking: { type: 'enabled', budget_tokens } }
}

/** Source: platform.claude.com/docs/en/build-with-claude/streaming */
function anthropicDialect(): Dialect {
  const unknown = new Set<number>()
  return {
    field: 'type',
    *read(event) {
      const { type } = event
      const index = asCount(event['index']) ?? 0
      const delta = asObject(event['delta'])
      // Some servers send a complete answer although a stream was requested.
      if (type === 'message')
        for (const [place, block] of asList(event['content']).entries())
          yield* piecesOfBlock(
            place,
            typeof block === 'string' ? { type: 'text', text: block } : asObject(block),
          )
      if (type === 'message_start') yield {}
      if (type === 'content_block_start') {
        const block = asObject(event['content_block'])
        if (BLOCKS.has(block['type'])) unknown.delete(index)
        else unknown.add(index)
        yield* piecesOfBlock(index, block)
      }
      if (type === 'content_block_delta' && !unknown.has(index)) yield* piecesOfDelta(index, delta)
      const end = asText(event['stop_reason'] ?? delta['stop_reason']) ?? ''
      if (type === 'message' || type === 'message_stop' || (type === 'message_delta' && end)) yield { end }
    },
    usage({ usage, message }) {
      const counts = asObject(usage ?? asObject(message)['usage'])
      const { cache_read_input_tokens: cached, cache_creation_input_tokens: written } = counts
      const input = sumOf(counts['input_tokens'], cached ?? 0, written ?? 0)
      return { input, cached, output: counts['output_tokens'] }
    },
  }
}

const BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])

function* piecesOfBlock(index: number, block: Fields): Iterable<Piece> {
  const { type, data, id, name, ...words } = block
  const input = asParsedObject(block['input'])
  if (type === 'text' || type === 'thinking') yield* piecesOfDelta(index, words)
  if (type === 'redacted_thinking')
    yield { thought: { id: index, providerData: { anthropic: { redactedData: asText(data) ?? '' } } } }
  if (type === 'tool_use') {
    const text = Object.keys(input).length > 0 ? argumentsText(input) : undefined
    yield { call: { index, id: asText(id), name: asText(name) ?? '', arguments: text } }
  }
}

const DELTA = /^(?:text|thinking|signature|input_json)_delta$/

/** Some gateways omit the type. The SDK sends `anthropic` back in the next request. */
function* piecesOfDelta(index: number, delta: Fields): Iterable<Piece> {
  const words = (key: string): string => argumentsText(delta[key]) ?? ''
  if (!DELTA.test(asText(delta['type']) ?? 'text_delta')) return
  const text = words('text')
  if (text) yield { text }
  const thought = words('thinking')
  if (thought) yield { thought: { id: index, text: thought } }
  const signature = words('signature')
  if (signature) yield { thought: { id: index, providerData: { anthropic: { signature } } } }
  const json = words('partial_json')
  if (json) yield { call: { index, arguments: json } }
}
