import { userContent } from '../../../prompt/prompt.ts'
import type { StepMessage, TurnRecord } from '../../../turns/ports.ts'
import { requestsOf } from '../../../turns/turn-log.ts'

/** One request of a turn, with the very texts that were sent. */
interface SentTexts {
  readonly system: string
  readonly user: string
  readonly messages: readonly StepMessage[]
  readonly tools: ReturnType<typeof requestsOf>[number]['tools']
}

/** A request, its number from 1 on, and the one before it. */
export interface NumberedRequest {
  readonly number: number
  readonly now: SentTexts
  readonly before: SentTexts | undefined
}

/** The requests of a stored turn, in order. */
export function sentIn(turn: TurnRecord): readonly NumberedRequest[] {
  const sent = requestsOf(turn).map(({ prompt, messages, tools }): SentTexts => {
    return { system: prompt.system, user: userContent(prompt), messages, tools }
  })
  return sent.map((now, index) => ({ number: index + 1, now, before: sent[index - 1] }))
}

/** A request for people. A part that did not change since the request before is named, not repeated. */
export function requestText(
  { number, now, before }: NumberedRequest,
  form: 'whole' | 'folded' = 'whole',
): string {
  const parts: readonly (readonly [title: string, now: string, then: string | undefined])[] = [
    ['system', now.system, before?.system],
    ['user', now.user, before?.user],
    ...now.messages.map(
      (message, at) =>
        [titleOf(message), textOf(message), before?.messages[at] && textOf(before.messages[at])] as const,
    ),
    ['tools', JSON.stringify(now.tools), before && JSON.stringify(before.tools)],
  ]
  const shown = form === 'whole' ? (text: string) => text : folded
  return [
    `-- request ${number}`,
    ...parts.map(([title, text, then]) =>
      text === then ? `-- ${title}: as before` : `-- ${title}\n${shown(text)}`,
    ),
  ].join('\n')
}

const titleOf = (message: StepMessage): string =>
  message.role === 'tool' ? `result of ${message.name}` : 'answer'

const textOf = (message: StepMessage): string =>
  message.role === 'tool'
    ? message.content
    : [message.text, ...message.calls.map((call) => `${call.name} ${call.arguments}`)]
        .filter((text) => text !== '')
        .join('\n')

/** What is left of a part when it is folded. */
const FOLDED_LINES = 6
const FOLDED_CHARS = 480

/** The beginning of a text, and how much is missing. */
function folded(text: string): string {
  const lines = text.split('\n')
  const head = lines.slice(0, FOLDED_LINES).join('\n').slice(0, FOLDED_CHARS).toWellFormed()
  const missing = text.length - head.length
  return missing === 0 ? text : `${head}\n… [${missing} more characters; full prints all]`
}
