import { zip } from '../../lib/zip.ts'
import type { Composer } from '../../prompt/ports.ts'
import type { ToolCall } from '../../toolbox/tool-call.ts'
import type { StepMessage, Thought } from '../ports.ts'

/** Tokens that a provider adds around a message or a definition: a few, so this number is high. */
const FRAMING_TOKENS = 8

/** Counts the tokens of a turn's messages, those of each once. */
export function createTokenMeter(composer: Pick<Composer, 'count'>, encoding: string) {
  const known = new WeakMap<StepMessage, number>()
  return async (messages: readonly StepMessage[]): Promise<readonly number[]> => {
    const fresh = messages.filter((message) => !known.has(message))
    const counts = await composer.count(encoding, fresh.map(textOf))
    for (const [message, tokens] of zip(fresh, counts)) known.set(message, tokens + FRAMING_TOKENS)
    return messages.map((message) => known.get(message) ?? 0)
  }
}

const textOf = (message: StepMessage): string => {
  switch (message.role) {
    case 'tool':
      return `${JSON.stringify({ response: message.name, name: message.name, tool_call_id: message.call })}\n${message.content}`
    case 'assistant':
      return [
        message.text,
        ...message.calls.map(callText),
        ...(message.thoughts ?? []).map(thoughtText),
      ].join('\n')
  }
}

/**
 * As providers of OpenAI's kind are sent it: most chat templates show a model about as much around each call, and none is
 * known to show more. Of a result, too, the names of what is around it are counted.
 */
const callText = ({ id, name, arguments: given }: ToolCall): string =>
  JSON.stringify([{ id, type: 'function', function: { name, arguments: given } }])

/** A signature is counted like text, which is more than it may be. */
const thoughtText = ({ text, providerData }: Thought): string =>
  providerData ? `${text}\n${JSON.stringify(providerData)}` : text
