import { versionedEndpoint } from './endpoint.ts'
import { hosted } from './hosted.ts'
import type { Provider } from './provider.ts'

/** Up to such a mark, a request is cached for five minutes (platform.claude.com/docs/en/build-with-claude/prompt-caching). */
const CACHE_MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/**
 * The API refuses a whole request for one other name, at the top of a schema and inside
 * (github.com/n8n-io/n8n/issues/30590, github.com/ComposioHQ/composio/pull/3649).
 */
const PARAMETER_NAMES = '^[a-zA-Z0-9_.-]{1,64}$'

/** Anthropic by its messages API. */
export const anthropic: Provider = {
  create: hosted(
    (access) => versionedEndpoint(access, 'https://api.anthropic.com'),
    async (options, model) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(options)(model)
    },
    { cacheMark: CACHE_MARK },
  ),
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
  usual: {
    name: 'claude',
    model: 'claude-sonnet-4-5',
    context_window: 200_000,
    api_key_env: 'ANTHROPIC_API_KEY',
  },
}
