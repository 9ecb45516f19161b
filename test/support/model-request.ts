import type { ModelEvent, ModelRequest } from '../../src/wrap/loop/model.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../../src/wrap/prompt.ts'
import { PROVIDERS, type ModelConfig } from '../../src/models/providers.ts'

/** A prompt as wrap() might give it. */
export function samplePrompt(change: Partial<Prompt> = {}): Prompt {
  return {
    encoding: 'o200k_base',
    budget: {
      window: 8000,
      reserved_output: 1000,
      target: 7000,
      used: 60,
      system: 20,
      context: 15,
      message: 5,
      tools: 20,
      framing: 0,
    },
    layers: [
      { name: 'system', priority: 0, placement: 'system', tokens: 20, status: 'kept', note: '' },
      {
        name: 'history',
        priority: 100,
        placement: 'context',
        tokens: 15,
        status: 'trimmed',
        note: '3 left out',
      },
    ],
    tools: [],
    system: 'You are in a room.',
    context: '## Room\nlobby',
    message: 'ann: @qwen hello',
    warnings: [],
    ...change,
  }
}

/** A definition with a schema that has one text parameter. */
export const definition = (name: string): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  parameters: {
    type: 'object',
    properties: { q: { type: 'string' } },
    required: ['q'],
    additionalProperties: false,
  },
})

/** A prompt's tool that sends `definition(name)` in full. */
export const promptTool = (name: string): PromptTool => ({
  id: name,
  name,
  form: 'full',
  tokens: 10,
  definition: definition(name),
})

/** A first step's request with these tools. */
export function sampleRequest(change: Partial<ModelRequest> = {}, ...tools: readonly string[]): ModelRequest {
  return {
    prompt: samplePrompt({ tools: tools.map(promptTool) }),
    messages: [],
    tools: tools.map(definition),
    maxOutput: 512,
    ...change,
  }
}

export const sampleConfig = (change: Partial<ModelConfig> = {}): ModelConfig => ({
  name: 'qwen',
  backend: 'openai-compatible',
  model: 'qwen3:8b',
  contextWindow: 8000,
  maxOutput: 1000,
  encoding: 'o200k_base',
  framing: PROVIDERS[change.backend ?? 'openai-compatible'].framing,
  systemPrompt: '',
  tools: 'all',
  enabled: true,
  ...change,
})

/** Everything a model does with a request. */
export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = []
  for await (const event of events) if (event.type !== 'reported') all.push(event)
  return all
}

export const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')
