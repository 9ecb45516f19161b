// The guide is not a language model: it answers offline and by rules, from its request and the server's
// facts. Equal prompts get byte-equal answers.
import type { LanguageModel, ModelEvent, ModelRequest, RequestMessage } from '../wrap/loop/index.ts'
import { EXACT_FRAMING } from '../wrap/index.ts'
import { answerFrom, isQuestion } from './guide-answers.ts'
import { type GuidePlace, NO_PLACE } from './guide-place.ts'
import { tour } from './guide-tour.ts'
import type { Provider } from './provider.ts'

export const guide: Provider = {
  create: ({ name }) => createGuide(name, NO_PLACE),
  framing: EXACT_FRAMING,
  required: [],
  takes: [],
}

export const createGuide = (name: string, place: GuidePlace): LanguageModel => ({
  async *stream(request, signal) {
    signal.throwIfAborted()
    yield* answer(request, name, place)
  },
})

type Request = ModelRequest<RequestMessage>

function* answer(request: Request, name: string, place: GuidePlace): Generator<ModelEvent> {
  const result = request.messages.at(-1)
  if (result?.role === 'tool') return yield* say(result.content)
  const { before, after } = aroundName(lastWords(request), name)
  const [verb, rest] = words(after)
  switch (verb) {
    case 'tools':
      return yield* say(toolsAnswer(request))
    case 'context':
      return yield* say(contextAnswer(request))
    case 'call':
      return yield* call(rest, name)
    default: {
      const question = HAS_WORDS.test(after) ? after : before
      const missed = isQuestion(question) ? NOTHING_FOUND : undefined
      return yield* say(
        answerFrom(question, request.prompt.context, place) ?? tour(request, name, place, missed),
      )
    }
  }
}

const lastWords = ({ prompt, messages }: Request): string =>
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

const NOTHING_FOUND = 'I found no command for that, and I am no language model. Try:'
const HAS_WORDS = /[\p{L}\p{N}]/u

/** Returns the text around the first `@guide`, without the author before it and the comma after it. */
function aroundName(message: string, name: string): { readonly before: string; readonly after: string } {
  const at = message.toLowerCase().indexOf(`@${name}`)
  if (at < 0) return { before: '', after: '' }
  return {
    before: message.slice(0, at).replace(/^\S+: /, ''),
    after: message.slice(at + name.length + 1).replace(/^[\s,:]+/, ''),
  }
}

function words(text: string): [first: string, rest: string] {
  const trimmed = text.trim()
  const end = trimmed.search(/\s/)
  return end < 0 ? [trimmed, ''] : [trimmed.slice(0, end), trimmed.slice(end).trim()]
}

function toolsAnswer({ tools, prompt }: Pick<ModelRequest, 'tools' | 'prompt'>): string {
  const deferred = prompt.tools.filter((tool) => tool.form === 'deferred')
  if (tools.length === 0) return 'There are no tools in the request I was given.'
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
