import type { ModelRequest, RequestMessage } from '../../../turns/ports.ts'
import { userContent } from '../../../prompt/prompt.ts'

/** Something to try, which the guide finds in the conversation once it was done. */
interface Step {
  readonly type: string
  readonly shows: string
  readonly isDone: (conversation: string) => boolean
}

/**
 * What somebody who is new can do next. The guide keeps nothing: it ticks off what stands in the conversation that it is given,
 * as a model would have to.
 */
export function tour({ prompt, tools }: ModelRequest<RequestMessage>, name: string): string {
  const conversation = userContent(prompt)
  const steps = stepsFor(
    name,
    tools[0]?.name === undefined ? undefined : callOf(tools.map((tool) => tool.name)),
  )
  const next = steps.find((step) => !step.isDone(conversation))
  return [
    `I am @${name}, a rule-based helper and not a language model. I read what a model in this room would read, and tick off what I see in it:`,
    '',
    ...steps.map((step) => `- [${step.isDone(conversation) ? 'x' : ' '}] ${step.type} – ${step.shows}`),
    '',
    next ? `Next, type: ${next.type}` : END,
  ].join('\n')
}

const END =
  'That is all. /models lists the language models that you can ask, /wrap draws what one is sent, /create NAME makes a room of your own, and /help lists the rest.'

const stepsFor = (name: string, call: string | undefined): readonly Step[] => [
  {
    type: `@${name} tools`,
    shows: 'the tools in my request',
    isDone: says(name, 'tools'),
  },
  {
    type: call === undefined ? '/tools on' : `@${name} call ${call}`,
    shows: call === undefined ? 'gives me tools to call' : 'makes that tool call and answers with its result',
    isDone: says(name, 'call'),
  },
  {
    type: `@${name} context`,
    shows: 'the layers of my prompt and their tokens',
    isDone: says(name, 'context'),
  },
  {
    type: `/tools off, then @${name} tools, then /tools on`,
    shows: 'the room decides what I am given',
    isDone: (conversation) => conversation.includes(NO_TOOLS),
  },
]

/** What the guide answers where it has no tools. */
export const NO_TOOLS = 'There are no tools in the request I was given.'

const says =
  (name: string, word: string): Step['isDone'] =>
  (conversation) =>
    conversation.toLowerCase().includes(`@${name} ${word}`)

const callOf = (tools: readonly string[]): string =>
  tools.includes('calculator') ? 'calculator {"expression":"6*7"}' : `${tools[0]} {}`
