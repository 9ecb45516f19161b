/**
 * The guide is no model. It answers offline and by rules, from its request alone, so that people see what a
 * model would be given.
 */
import type { LanguageModel, ModelEvent, ModelRequest, RequestMessage } from '../../turns/ports.ts'
import { userContent } from '../../prompt/prompt.ts'
import { EXACT_FRAMING } from '../../prompt/model-settings.ts'
import type { Provider } from './provider.ts'

export const guide: Provider = {
  create: ({ name }) => guideModel(name),
  framing: EXACT_FRAMING,
  required: [],
  takes: [],
}

const guideModel = (name: string): LanguageModel => ({
  async *stream(request, signal) {
    signal.throwIfAborted()
    yield* answer(request, name)
  },
})

function* answer(request: ModelRequest<RequestMessage>, name: string): Generator<ModelEvent> {
  const result = request.messages.at(-1)
  if (result?.role === 'tool') return yield* say(result.content)
  const [verb, rest] = words(question(lastWords(request), name))
  switch (verb) {
    case 'tools':
      return yield* say(toolsAnswer(request))
    case 'context':
      return yield* say(contextAnswer(request))
    case 'call':
      return yield* call(rest, name)
    default:
      return yield* say(tour(request, name))
  }
}

const lastWords = ({ prompt, messages }: ModelRequest<RequestMessage>): string =>
  messages.findLast((message) => message.role === 'user')?.text ?? prompt.message

function* say(text: string): Generator<ModelEvent> {
  yield { type: 'text', text }
  yield { type: 'finish', reason: 'stop' }
}

function* call(rest: string, name: string): Generator<ModelEvent> {
  const [tool, json] = words(rest)
  if (tool) {
    yield { type: 'call', call: { id: 'call_1', name: tool, arguments: json || '{}' } }
    yield { type: 'finish', reason: 'calls' }
  } else yield* say(`Say which tool: @${name} call NAME {"…": …}`)
}

/** The text after the first `@guide`, without the comma that some people write. */
function question(message: string, name: string): string {
  const at = message.toLowerCase().indexOf(`@${name}`)
  return at < 0 ? '' : message.slice(at + name.length + 1).replace(/^[\s,:]+/, '')
}

function words(text: string): [first: string, rest: string] {
  const trimmed = text.trim()
  const end = trimmed.search(/\s/)
  return end < 0 ? [trimmed, ''] : [trimmed.slice(0, end), trimmed.slice(end).trim()]
}

function toolsAnswer({ tools, prompt }: Pick<ModelRequest, 'tools' | 'prompt'>): string {
  const deferred = prompt.tools.filter((tool) => tool.form === 'deferred')
  if (tools.length === 0) return NO_TOOLS
  const names = tools.map((tool) => tool.name).join(', ')
  const more = deferred.length > 0 ? `\n${deferred.length} more can be found with find_tools.` : ''
  return `Tools in the request I was given (${tools.length}): ${names}${more}`
}

function contextAnswer({ prompt: { budget, layers, encoding } }: Pick<ModelRequest, 'prompt'>): string {
  const head = `${budget.used} of ${budget.target} tokens used, counted with ${encoding}`
  const parts = `system ${budget.system}, context ${budget.context}, message ${budget.message}, tools ${budget.tools}`
  const lines = layers.map(
    (layer) => `${layer.name}: ${layer.tokens} tokens, ${layer.status}${layer.note && ` (${layer.note})`}`,
  )
  return [head, parts, ...lines].join('\n')
}

interface Step {
  readonly type: string
  readonly shows: string
  readonly isDone: (conversation: string) => boolean
}

/** The guide keeps nothing: it ticks off what it finds in the conversation, as a model would. */
function tour({ prompt, tools }: ModelRequest<RequestMessage>, name: string): string {
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

const NO_TOOLS = 'There are no tools in the request I was given.'

const says =
  (name: string, word: string): Step['isDone'] =>
  (conversation) =>
    conversation.toLowerCase().includes(`@${name} ${word}`)

const callOf = (tools: readonly string[]): string =>
  tools.includes('calculator') ? 'calculator {"expression":"6*7"}' : `${tools[0]} {}`
