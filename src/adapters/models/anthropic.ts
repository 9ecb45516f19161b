import { addCall, reportOf, type Dialect } from './answer.ts'
import { countIn, isSaid, jsonTextIn, listIn, objectIn, parsedIn, textIn, type Fields } from './loose.ts'
import { REQUEST_KEYS, versionedEndpoint, type ModelAccess, type Provider } from './provider.ts'
import { sdkModel } from './sdk-model.ts'
import { thoughtTokens } from './settings.ts'

/** Up to such a mark, a request is cached for five minutes (platform.claude.com/docs/en/build-with-claude/prompt-caching). */
const CACHE_MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** The API refuses a request for any other name (github.com/n8n-io/n8n/issues/30590). */
const PARAMETER_NAMES = '^[a-zA-Z0-9_.-]{1,64}$'

export const anthropic: Provider = {
  create: sdkModel({
    endpointOf: (access) => versionedEndpoint(access, 'https://api.anthropic.com'),
    async load(options, { model }) {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(options)(model)
    },
    cacheMark: CACHE_MARK,
    dialect: anthropicDialect,
    settings: anthropicSettings,
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
  required: ['model'],
  takes: REQUEST_KEYS,
  usual: {
    name: 'claude',
    model: 'claude-sonnet-4-5',
    context_window: 200_000,
    api_key_env: 'ANTHROPIC_API_KEY',
  },
}

/** platform.claude.com/docs/en/api/messages */
function anthropicSettings(access: ModelAccess, maxOutput: number): Fields {
  const { temperature, topP, stop } = access
  return { temperature, top_p: topP, stop_sequences: stop, ...thinkingOf(access, maxOutput) }
}

/** Tokens that the API asks for at least. */
const MIN_THOUGHT = 1024

/**
 * Models before 4.6 think for a number of tokens, later ones by effort
 * (platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
function thinkingOf({ model, effort }: ModelAccess, maxOutput: number): Fields {
  if (!effort) return {}
  const [, major = 9, minor = 0] = /(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  if (Number(major) + Number(minor) / 10 >= 4.6)
    return { thinking: { type: 'adaptive' }, output_config: { effort } }
  if (maxOutput <= MIN_THOUGHT) return {}
  const budget_tokens = Math.max(MIN_THOUGHT, thoughtTokens(effort, maxOutput))
  return { thinking: { type: 'enabled', budget_tokens } }
}

const COUNTS = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const

/** platform.claude.com/docs/en/build-with-claude/streaming */
function anthropicDialect(): Dialect {
  const blocks = new Blocks()
  const counts = new Map<string, number | undefined>()
  let hasEnd = false
  const end = (reason: string | undefined): readonly object[] => {
    if (!reason || hasEnd) return []
    hasEnd = true
    const usage = { output_tokens: 0 }
    const delta = { stop_reason: reason }
    return [...blocks.stopAll(), { type: 'message_delta', delta, usage }, { type: 'message_stop' }]
  }
  return {
    field: 'type',
    read(event) {
      const type = textIn(event['type'])
      const index = countIn(event['index']) ?? 0
      switch (type) {
        // A whole answer, although a stream was asked for.
        case 'message': {
          const content = listIn(event['content']).map(parsedOrText)
          const written = content.flatMap((block, place) => blocks.start(place, block))
          return [...written, ...end(textIn(event['stop_reason']) || 'end_turn')]
        }
        case 'message_start':
          return [{ type, message: { usage: { input_tokens: 0 } } }]
        case 'content_block_start':
          return blocks.start(index, objectIn(event['content_block']))
        case 'content_block_delta':
          return blocks.add(index, objectIn(event['delta']))
        case 'content_block_stop':
          return blocks.stop(index)
        case 'message_delta':
          return end(textIn(objectIn(event['delta'])['stop_reason']))
        case 'message_stop':
          return end('end_turn')
        default:
          return []
      }
    },
    end: (isWhole) => (isWhole ? end('end_turn') : []),
    usage(event) {
      const usage = objectIn(event['usage'] ?? objectIn(event['message'])['usage'])
      const told = COUNTS.filter((key) => key in usage)
      if (told.length === 0) return undefined
      for (const key of told) counts.set(key, countIn(usage[key]))
      const [fresh, cached, written, output] = COUNTS.map((key) => counts.get(key))
      const input = fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0)
      return reportOf({ input, cached, output })
    },
  }
}

const parsedOrText = (block: unknown): Fields =>
  typeof block === 'string' ? { type: 'text', text: block } : objectIn(block)

const DELTAS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
}

/** The blocks of an answer, each started and stopped once. Unknown kinds are passed over with their deltas. */
class Blocks {
  readonly #calls: number[] = []
  readonly #states = new Map<number, 'open' | 'closed' | 'unknown'>()

  start(index: number, block: Fields): readonly object[] {
    const content_block = blockIn(block)
    this.#states.set(index, content_block ? 'open' : 'unknown')
    if (!content_block) return []
    if (block['type'] === 'tool_use') addCall(this.#calls, index)
    // The SDK reads words only from deltas.
    const deltas = ['text', 'thinking', 'signature'].filter((key) => isSaid(block[key]))
    return [
      { type: 'content_block_start', index, content_block },
      ...deltas.flatMap((key) => this.add(index, { [key]: block[key] })),
    ]
  }

  add(index: number, delta: Fields): readonly object[] {
    const named = textIn(delta['type'])
    const type = named ?? Object.entries(DELTAS).find(([, one]) => one in delta)?.[0] ?? ''
    const field = DELTAS[type]
    const value = field === undefined ? undefined : jsonTextIn(delta[field])
    if (!field || !value) return []
    const state = this.#states.get(index)
    const kind = field === 'partial_json' ? undefined : field === 'text' ? 'text' : 'thinking'
    const started = state === undefined && kind ? this.start(index, { type: kind }) : []
    if (this.#states.get(index) !== 'open') return []
    return [...started, { type: 'content_block_delta', index, delta: { type, [field]: value } }]
  }

  stop(index: number): readonly object[] {
    if (this.#states.get(index) !== 'open') return []
    this.#states.set(index, 'closed')
    return [{ type: 'content_block_stop', index }]
  }

  /** Some gateways leave the stop of a block out, and only a stopped call is one. */
  stopAll = (): readonly object[] => [...this.#states.keys()].flatMap((index) => this.stop(index))
}

function blockIn(block: Fields): object | undefined {
  const type = textIn(block['type'])
  switch (type) {
    case 'text':
      return { type, text: '' }
    case 'thinking':
      return { type, thinking: '' }
    case 'redacted_thinking':
      return { type, data: textIn(block['data']) ?? '' }
    case 'tool_use':
      return {
        type,
        id: textIn(block['id']) ?? '',
        name: textIn(block['name']) ?? '',
        input: parsedIn(block['input']),
      }
    default:
      return undefined
  }
}
