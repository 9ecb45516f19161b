import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { JsonObject } from '../../lib/json.ts'
import { systemAndUser } from '../../prompt/prompt.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import type { ModelRequest, RequestMessage, Thought } from '../../turns/ports.ts'

/** A request in the AI SDK's words; `cacheMark` goes with the system message. */
export function sdkPrompt(
  { prompt, messages, withoutSystemRole = false }: ModelRequest<RequestMessage>,
  cacheMark?: SharedV3ProviderOptions,
): LanguageModelV3Prompt {
  const { system, user } = systemAndUser(prompt, withoutSystemRole)
  const mark = cacheMark ? { providerOptions: cacheMark } : {}
  const systemMessage: LanguageModelV3Message[] =
    system === '' ? [] : [{ role: 'system', content: system, ...mark }]
  return [
    ...systemMessage,
    { role: 'user', content: [{ type: 'text', text: user }] },
    ...messages.map(stepMessage),
  ]
}

function stepMessage(step: RequestMessage): LanguageModelV3Message {
  if (step.role === 'user') return { role: 'user', content: [{ type: 'text', text: step.text }] }
  if (step.role === 'assistant') {
    const text = step.text === '' ? [] : [{ type: 'text' as const, text: step.text }]
    const thoughts = (step.thoughts ?? []).map(thoughtPart)
    return { role: 'assistant', content: [...thoughts, ...text, ...step.calls.map(callPart)] }
  }
  return {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: step.call,
        toolName: step.name,
        output: { type: 'text', value: step.content },
      },
    ],
  }
}

const thoughtPart = ({ text, providerData }: Thought) => ({
  type: 'reasoning' as const,
  text,
  ...returnedData(providerData),
})

const callPart = (call: ToolCall) => ({
  type: 'tool-call' as const,
  toolCallId: call.id,
  toolName: call.name,
  input: argumentsAsObject(call.arguments),
  ...returnedData(call.providerData),
})

const returnedData = (data: JsonObject | undefined): { providerOptions?: SharedV3ProviderOptions } =>
  data ? { providerOptions: data as SharedV3ProviderOptions } : {}

/** Providers refuse a history with arguments that are no JSON object: those become `{}`. */
export function argumentsAsObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
