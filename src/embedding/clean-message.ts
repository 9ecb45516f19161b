import { cleanText } from '../lib/text/clean-text.ts'
import { asRepeated } from '../toolbox/tool-call.ts'
import type { ChatMessage } from '../tools/context.ts'

/** A program's message as it may be kept and sent. */
export function cleanMessage(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, content: cleanText(message.content) }
  const text = cleanText(message.text)
  return message.role === 'assistant'
    ? { ...message, text, calls: message.calls.map(asRepeated) }
    : { ...message, text }
}
