import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { ModelRequest, RequestMessage } from '../../turns/ports.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import { userContent } from '../../prompt/prompt.ts'

/** A request in the AI SDK's words: system, the user's part, and the steps so far; an empty system is left out. */
export function sdkPrompt({ prompt, steps }: ModelRequest<RequestMessage>): LanguageModelV3Prompt {
  const system: LanguageModelV3Message[] =
    prompt.system === '' ? [] : [{ role: 'system', content: prompt.system }]
  return [
    ...system,
    { role: 'user', content: [{ type: 'text', text: userContent(prompt) }] },
    ...steps.map(stepMessage),
  ]
}

function stepMessage(step: RequestMessage): LanguageModelV3Message {
  if (step.role === 'user') return { role: 'user', content: [{ type: 'text', text: step.text }] }
  if (step.role === 'assistant') {
    const text = step.text === '' ? [] : [{ type: 'text' as const, text: step.text }]
    return { role: 'assistant', content: [...text, ...step.calls.map(callPart)] }
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

const callPart = (call: ToolCall) => ({
  type: 'tool-call' as const,
  toolCallId: call.id,
  toolName: call.name,
  input: inputOf(call.arguments),
  ...(call.providerData ? { providerOptions: call.providerData as SharedV3ProviderOptions } : {}),
})

/** The SDK turns the arguments into text again. Providers refuse a history with unparsable arguments: those go as `{}`. */
function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
