import { z } from 'zod'
import type { ModelFacts, ModelRequest, RequestMessage } from '../../../turns/ports.ts'
import type { ModelAccess } from '../provider.ts'
import { argumentsAsObject, headOf } from '../request-parts.ts'
import { windowSize } from '../token-count.ts'

/**
 * The body of `POST /api/chat`. Without `num_ctx` the server takes a window of its own, often of 4,096 tokens
 * (docs.ollama.com/context-length), and cuts longer prompts without a word; `truncate` and `shift` keep newer versions from
 * that (api/types.go at v0.33.2; older ones ignore them). A `num_ctx` that changes makes it load the model again, so it is
 * the model's whole window in every request.
 */
export function chatBody(request: ModelRequest<RequestMessage>, access: ModelAccess): object {
  const { prompt, messages, tools, maxOutput, contextWindow, withoutSystemRole = false } = request
  const { system, user } = headOf(prompt, withoutSystemRole)
  const window = contextWindow === undefined ? {} : { num_ctx: contextWindow }
  return {
    model: access.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: user },
      ...messages.map(messageOf),
    ],
    ...(tools.length > 0 ? { tools: tools.map(functionOf) } : {}),
    stream: true,
    truncate: false,
    shift: false,
    options: { ...window, num_predict: maxOutput },
    ...(access.keepAlive === undefined ? {} : { keep_alive: access.keepAlive }),
  }
}

const functionOf = ({ name, description, parameters }: ModelRequest['tools'][number]): object => ({
  type: 'function',
  function: { name, description, parameters },
})

function messageOf(step: RequestMessage): object {
  switch (step.role) {
    case 'user':
      return { role: 'user', content: step.text }
    case 'tool':
      return { role: 'tool', tool_name: step.name, content: step.content }
    case 'assistant': {
      const thinking = (step.thoughts ?? []).map(({ text }) => text).join('')
      const calls = step.calls.map(({ name, arguments: args }) => ({
        function: { name, arguments: argumentsAsObject(args) },
      }))
      return {
        role: 'assistant',
        content: step.text,
        ...(thinking === '' ? {} : { thinking }),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      }
    }
  }
}

/** What `POST /api/show` tells of a model (docs.ollama.com/api-reference/show-model-details), as far as it is read here. */
export const shownSchema = z.object({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).default({}),
  template: z.string().default(''),
  modelfile: z.string().default(''),
})

/** The facts in what `/api/show` tells. Older versions tell no capabilities. */
export function shownFacts({
  capabilities,
  model_info,
  template,
  modelfile,
}: z.output<typeof shownSchema>): ModelFacts {
  const architecture = model_info['general.architecture']
  const length = typeof architecture === 'string' ? model_info[`${architecture}.context_length`] : undefined
  const { data: window } = windowSize.safeParse(length)
  return {
    ...(window === undefined ? {} : { window }),
    ...(capabilities ? { tools: capabilities.includes('tools') } : {}),
    ...(dropsSystem(template, modelfile) ? { systemRole: false } : {}),
  }
}

/** A template without a place for a system message leaves it out without a word, unless a renderer does its work. */
const dropsSystem = (template: string, modelfile: string): boolean =>
  template !== '' && !/system|\.Messages/i.test(template) && !/^RENDERER /m.test(modelfile)
