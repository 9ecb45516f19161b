import { z } from 'zod'
import { keysOf } from '../base/basics.ts'
import { ArgumentError, problemsIn, shown } from './arguments.ts'
import type { ChatMessage } from './context.ts'

/** Checked at run time, because programs and modules may be untyped. */
const FORMS = {
  user: z.object({ text: z.string() }),
  assistant: z.object({
    text: z.string(),
    calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    thoughts: z.array(z.object({ text: z.string() })).optional(),
  }),
  tool: z.object({ call: z.string(), name: z.string(), content: z.string() }),
  note: z.object({ author: z.string(), text: z.string() }),
} satisfies Readonly<Record<ChatMessage['role'], z.ZodType>>

const ROLE = z.object({ role: z.enum(keysOf(FORMS)) })

/** Throws `ArgumentError` for the first wrong field. */
export function checkMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const given: unknown = messages
  if (!Array.isArray(given)) throw new ArgumentError(`messages must be an array, got ${shown(given)}`)
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    const problem = problemsIn(ROLE, message, at)[0] ?? problemsIn(FORMS[message.role], message, at)[0]
    if (problem !== undefined) throw new ArgumentError(problem)
  }
  return messages
}
