import { headOf } from '../../../lib/text/characters.ts'
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

/** A part of a request, and the same part of the request before. */
interface RequestPart {
  readonly title: string
  readonly now: string
  readonly before: string | undefined
  /** What is shown of it where it is folded; absent where its beginning is. */
  readonly short?: string
}

/**
 * A request for people. A part that did not change since the request before is named, not repeated. Folded, each part has a
 * few lines of at most `columns` cells.
 */
export function requestText(request: NumberedRequest, folding?: { readonly columns: number }): string {
  const shown = folding ? (part: RequestPart) => folded(part, folding.columns) : ({ now }: RequestPart) => now
  return [
    `-- request ${request.number}`,
    ...partsOf(request).map((part) =>
      part.now === part.before ? `-- ${part.title}: as before` : `-- ${part.title}\n${shown(part)}`,
    ),
  ].join('\n')
}

const partsOf = ({ now, before }: NumberedRequest): readonly RequestPart[] => [
  { title: 'system', now: now.system, before: before?.system },
  { title: 'user', now: now.user, before: before?.user },
  ...now.messages.map((message, at) => {
    const earlier = before?.messages[at]
    return { title: titleOf(message), now: textOf(message), before: earlier && textOf(earlier) }
  }),
  {
    title: 'tools',
    now: JSON.stringify(now.tools),
    before: before && JSON.stringify(before.tools),
    short: now.tools.length === 0 ? 'none' : now.tools.map(({ name }) => name).join(' '),
  },
]

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

/** The beginning of a part, and how much is missing. */
function folded({ now, short }: RequestPart, columns: number): string {
  if (short !== undefined) return `${short}\n… [${now.length} characters; full prints all]`
  const lines = now.split('\n')
  const first = lines.slice(0, FOLDED_LINES).join('\n')
  const head = wholeWords(first, headOf(first, FOLDED_LINES * columns))
  const missing = now.length - head.length
  return missing === 0 ? now : `${head}\n… [${missing} more characters; full prints all]`
}

/** The beginning of a text up to its last whole word, unless that would be far less. */
function wholeWords(text: string, head: string): string {
  if (head.length === text.length || /^\s/.test(text.slice(head.length))) return head
  const whole = head.replace(/\S+$/, '').trimEnd()
  return whole.length > head.length / 2 ? whole : head
}
