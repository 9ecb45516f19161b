import { characterAt, headOf } from '../../base/text/characters.ts'
import { type PictureFacts, pictureDetails } from '../../words/picture.ts'
import { BREAK, userContent } from '../../wrap/index.ts'
import { requestsOf, type TurnRecord } from '../../turns/index.ts'
import type { StepMessage } from '../../wrap/loop/index.ts'

/** A request with the exact texts sent, its number from 1 on, and the previous request. */
export type NumberedRequest = ReturnType<typeof numberRequests>[number]

export function numberRequests(turn: TurnRecord) {
  const requests = requestsOf(turn)
  const sent = requests.map(({ prompt, messages, tools }) => {
    const { system, pictures } = prompt
    return { system, user: userContent(prompt), ...(pictures && { pictures }), messages, tools }
  })
  return sent.map((now, index) => {
    const question = requests[index]?.prompt.message ?? ''
    return { number: index + 1, question, now, before: sent[index - 1] }
  })
}

interface RequestPart {
  readonly title: string
  readonly now: string
  readonly before: string | undefined
  /** The folded form; if absent, the beginning or the end of the part is shown. */
  readonly short?: string
  readonly isTail?: boolean
}

/**
 * Returns a request as text for people. A part that equals the previous request's is named without its text.
 * With `columns`, the cells of a line, each part has a few lines, and the question is a separate part.
 */
export function requestText(request: NumberedRequest, columns?: number): string {
  return [
    `-- request ${request.number}`,
    ...partsOf(request, columns !== undefined).map((part) => {
      if (part.now === part.before) return `-- ${part.title}: as before`
      return `-- ${part.title}\n${columns === undefined ? part.now : foldPart(part, columns)}`
    }),
  ].join('\n')
}

const partsOf = ({ question, now, before }: NumberedRequest, isFolded: boolean): readonly RequestPart[] => [
  { title: 'system', now: now.system, before: before?.system, short: '' },
  ...(isFolded && now.user !== before?.user
    ? userParts(now.user, question)
    : [{ title: 'user', now: now.user, before: before?.user }]),
  ...(now.pictures
    ? [
        {
          title: PICTURES,
          now: detailsOf(now.pictures),
          before: before?.pictures && detailsOf(before.pictures),
        },
      ]
    : []),
  ...now.messages.map((message, at) => {
    const earlier = before?.messages[at]
    const title = message.role === 'tool' ? `result of ${message.name}` : 'answer'
    return { title, now: textOf(message), before: earlier && textOf(earlier) }
  }),
  {
    title: 'tools',
    now: JSON.stringify(now.tools),
    before: before && JSON.stringify(before.tools),
    short: now.tools.length === 0 ? 'none' : now.tools.map(({ name }) => name).join(' '),
  },
]

function userParts(user: string, question: string): readonly RequestPart[] {
  const context = user
    .slice(0, user.length - question.length)
    .slice(0, question === '' ? undefined : -BREAK.length)
  return [
    { title: 'conversation', now: context, before: undefined, isTail: true },
    { title: 'question', now: question, before: undefined },
  ].filter((part) => part.now !== '')
}

const PICTURES = 'pictures (ssh HOST files ROOM NAME > NAME gets one)'

const detailsOf = (pictures: readonly PictureFacts[]): string => pictures.map(pictureDetails).join('\n')

const textOf = (message: StepMessage): string =>
  message.role === 'tool'
    ? [message.content, ...(message.pictures ?? []).map(pictureDetails)].join('\n')
    : [message.text, ...message.calls.map((call) => `${call.name} ${call.arguments}`)]
        .filter((text) => text !== '')
        .join('\n')

const FOLDED_LINES = 6
/** Fewer UTF-16 units take no more space than a note about their omission. */
const LEAST_FOLDED = 60

function foldPart({ now, short, isTail }: RequestPart, columns: number): string {
  if (short === '') return `… [${now.length} characters; full prints all]`
  if (short !== undefined) return `${short}\n… [${now.length} characters; full prints all]`
  return isTail ? foldTail(now, columns) : foldHead(now, columns)
}

function foldTail(now: string, columns: number): string {
  const last = now.split('\n').slice(-FOLDED_LINES).join('\n')
  const tail = last.slice(characterAt(last, Math.max(0, last.length - FOLDED_LINES * columns)))
  const missing = now.length - tail.length
  return missing < LEAST_FOLDED ? now : `… [${missing} characters before; full prints all]\n${tail}`
}

export function foldHead(now: string, columns: number): string {
  const first = now.split('\n').slice(0, FOLDED_LINES).join('\n')
  const head = headOf(first, FOLDED_LINES * columns)
  const missing = now.length - head.length
  return missing < LEAST_FOLDED ? now : `${head}\n… [${missing} more characters; full prints all]`
}
