import { Refusal } from '../../chat/errors.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { StepMessage, TurnRecord, TurnStore } from '../../turns/ports.ts'
import { requestsOf } from '../../turns/turn-log.ts'
import { userContent } from '../../prompt/prompt.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { Misuse } from '../usage.ts'

/** One request of a turn, with the very texts that were sent. */
interface Sent {
  readonly system: string
  readonly user: string
  readonly messages: readonly StepMessage[]
  readonly tools: ReturnType<typeof requestsOf>[number]['tools']
}

export const turnCommand = (turns: Pick<TurnStore, 'find'>): Command =>
  defineCommand({
    name: 'turn',
    summary: 'what a past turn was really sent, all its requests or one; its id is in history --json',
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [
      { name: 'id', about: 'of the turn' },
      { name: 'request', about: 'its number; all of them without it', optional: true },
    ],
    example: '01KCZ5V7Q8WN3M6T2R4X9YJBHD 1',
    async run({ room, args, flags, out }) {
      const turn = await turns.find(args.id)
      // A turn of another room is treated like one that does not exist.
      if (!turn || turn.room !== room.name)
        throw new Refusal(`there is no turn ${args.id.slice(0, 40)} in ${room.name}`)
      const sent = requestsOf(turn).map(({ prompt, messages, tools }): Sent => {
        return { system: prompt.system, user: userContent(prompt), messages, tools }
      })
      const chosen = chosenOf(sent, args.request)
      if (flags.json) return out.line(safeJson(turnJson(turn, chosen)))
      out.line(heading(turn, sent.length))
      for (const [index, request] of chosen) out.line(cleanText(requestText(request, index, sent[index - 1])))
    },
  })

/** Requests with their places, all or the one of that number. */
function chosenOf(
  sent: readonly Sent[],
  number: string | undefined,
): readonly (readonly [index: number, request: Sent])[] {
  const all = [...sent.entries()]
  if (number === undefined) return all
  const one = all.filter(([index]) => String(index + 1) === number)
  if (one.length > 0) return one
  const last = sent.length === 0 ? 'nothing was sent in this turn' : `requests are 1 to ${sent.length}`
  throw new Misuse(`there is no request ${number.slice(0, 20)}; ${last}`)
}

function turnJson(turn: TurnRecord, chosen: ReturnType<typeof chosenOf>) {
  const { steps: _, ...facts } = turn
  return { ...facts, requests: chosen.map(([index, request]) => ({ request: index + 1, ...request })) }
}

function heading({ model, requester, outcome, error }: TurnRecord, requests: number): string {
  const end = `${outcome ?? 'running'}${error ? `, ${cleanText(error)}` : ''}`
  const sent = requests === 0 ? 'nothing was sent' : `${requests} ${requests === 1 ? 'request' : 'requests'}`
  return `-- @${model} for ${requester}: ${end}; ${sent}`
}

/** A part that did not change since the request before is named, not repeated. */
function requestText(request: Sent, index: number, before: Sent | undefined): string {
  const parts: readonly (readonly [title: string, now: string, then: string | undefined])[] = [
    ['system', request.system, before?.system],
    ['user', request.user, before?.user],
    ...request.messages.map(
      (message, at) =>
        [titleOf(message), textOf(message), before?.messages[at] && textOf(before.messages[at])] as const,
    ),
    ['tools', JSON.stringify(request.tools), before && JSON.stringify(before.tools)],
  ]
  return [
    `-- request ${index + 1}`,
    ...parts.map(([title, now, then]) => (now === then ? `-- ${title}: as before` : `-- ${title}\n${now}`)),
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
