import { indentLater } from '../../words/entry-text.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import type { PlainTexts } from '../prompt.ts'
import { ArgumentError, checkMessages, type ChatMessage } from '../../tools/index.ts'

/** Earlier messages become text: providers may refuse calls if no tools are sent. Throws `ArgumentError`. */
export function questionTexts(messages: readonly ChatMessage[]): PlainTexts {
  const said = checkMessages(messages).filter(({ role }) => role !== 'note')
  const last = said.at(-1)
  if (last?.role !== 'user')
    throw new ArgumentError(
      "the last of the messages must be what the model is asked: { role: 'user', text }",
    )
  const before = transcript(said.slice(0, -1))
  const context = before.length > 0 ? `The conversation so far:\n${before.join('\n')}` : ''
  return { system: '', context: cleanText(context), message: cleanText(last.text) }
}

/** Returns messages as text, with later lines indented. Omits calls without a result. */
export function transcript(messages: readonly ChatMessage[]): readonly string[] {
  const argumentsOf = new Map(
    messages
      .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
      .map((call) => [call.id, call.arguments]),
  )
  return messages.flatMap((message) => {
    switch (message.role) {
      case 'user':
        return [indentLater(`was asked: ${message.text}`)]
      case 'assistant':
        return message.text ? [indentLater(`said: ${message.text}`)] : []
      case 'tool': {
        const args = argumentsOf.get(message.call) ?? ''
        return [indentLater(`called ${message.name} ${args}\nresult: ${message.content}`)]
      }
      case 'note':
        return []
    }
  })
}
