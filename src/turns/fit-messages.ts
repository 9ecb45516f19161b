import { isJsonObject, type Json } from '../lib/json.ts'
import { headOf } from '../lib/text/characters.ts'
import { zip } from '../lib/zip.ts'
import type { Composer } from '../prompt/ports.ts'
import { parseArguments, type ToolCall } from '../toolbox/tool-call.ts'
import type { StepMessage, Thought } from './ports.ts'

/** The messages of earlier steps as the model is shown them, and their tokens. */
export interface ShownSteps {
  readonly messages: readonly StepMessage[]
  readonly tokens: number
}

/** Fits all messages so far into so many tokens. */
type FitSteps = (messages: readonly StepMessage[], tokens: number) => Promise<ShownSteps>

/** Share of the tokens that messages may have once something had to be shortened: the rest is for the next results. */
const SHARE_AFTER_SHORTENING = 0.75

/**
 * What a turn has said, called and read may need more tokens than its model has. Then the results of older steps are
 * shown shortened, the oldest first, after them what these steps said and called, and last the newest step's. If all that is
 * too long, the oldest steps are left out, and of the newest step all calls that do not fit, with their results. `count` gives the tokens of each message. What is not shortened stays the same
 * object, and a message is shortened once.
 */
export function createFitSteps(
  count: (messages: readonly StepMessage[]) => Promise<readonly number[]>,
): FitSteps {
  const shortForms = new WeakMap<StepMessage, StepMessage>()
  const shortOf = (message: StepMessage): StepMessage => {
    const short = shortForms.get(message) ?? shortened(message)
    shortForms.set(message, short)
    return short
  }

  return async (messages, tokens) => {
    const counts = await count(messages)
    const all = zip(messages, counts).map(([message, cost]) => ({ message, cost }))
    if (sum(all) <= tokens) return shown(all)
    const shortCounts = await count(messages.map(shortOf))
    const short = zip(messages.map(shortOf), shortCounts).map(([message, cost]) => ({ message, cost }))
    const newest = withoutOldest(replaceInOrder(all, short, tokens), tokens)
    return sum(newest) <= tokens ? shown(newest) : await folded(newest, tokens)
  }

  /** The newest step with as many of its calls as fit, at least one; halving finds a number that does. */
  async function folded(step: readonly Counted[], tokens: number): Promise<ShownSteps> {
    let messages: readonly StepMessage[] = step.map(({ message }) => message)
    for (let kept = Math.floor(results(messages) / 2); ; kept = Math.floor(kept / 2)) {
      messages = withFirstCalls(messages, Math.max(1, kept))
      const costs = await count(messages)
      const total = costs.reduce((all, one) => all + one, 0)
      if (total <= tokens || kept <= 1) return { messages, tokens: total }
    }
  }
}

interface Counted {
  readonly message: StepMessage
  readonly cost: number
}

const sum = (counted: readonly Counted[]): number => counted.reduce((total, { cost }) => total + cost, 0)

const shown = (counted: readonly Counted[]): ShownSteps => ({
  messages: counted.map(({ message }) => message),
  tokens: sum(counted),
})

/** Puts short forms in the place of messages until the rest fits. */
function replaceInOrder(
  all: readonly Counted[],
  short: readonly Counted[],
  tokens: number,
): readonly Counted[] {
  const now = [...all]
  const newest = startOfNewest(all)
  let total = sum(all)
  for (const index of orderOf(all, newest)) {
    if (total <= (index < newest ? tokens * SHARE_AFTER_SHORTENING : tokens)) continue
    const [before, after] = [now[index], short[index]]
    if (!before || !after || after.cost >= before.cost) continue
    now[index] = after
    total -= before.cost - after.cost
  }
  return now
}

/** Indices in the order in which messages are shortened. */
function orderOf(all: readonly Counted[], newest: number): readonly number[] {
  const places = all.map(({ message: { role } }, index) => ({ role, index, isNew: index >= newest }))
  return [false, true].flatMap((isNew) =>
    (['tool', 'assistant'] as const).flatMap((role) =>
      places.filter((one) => one.isNew === isNew && one.role === role).map(({ index }) => index),
    ),
  )
}

/** Leaves out whole steps, the oldest first, but never the newest: a result without its call is refused by providers. */
function withoutOldest(all: readonly Counted[], tokens: number): readonly Counted[] {
  let kept = all
  while (sum(kept) > tokens && startOfNewest(kept) > 0) kept = kept.slice(startOfSecond(kept))
  return kept
}

const results = (step: readonly StepMessage[]): number => step.filter(({ role }) => role === 'tool').length

/** A step with so many of its calls and their results, whose arguments and texts are left out. */
function withFirstCalls(step: readonly StepMessage[], count: number): readonly StepMessage[] {
  const calls = step.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  const kept = calls.slice(0, count)
  const ids = new Set(kept.map(({ id }) => id))
  const note = `[${calls.length} calls in this step; what they gave is left out: this turn has no more space]`
  return step.flatMap((message): readonly StepMessage[] => {
    if (message.role === 'assistant')
      return [{ ...message, text: note, calls: kept.map((call) => ({ ...call, arguments: '{}' })) }]
    return ids.has(message.call)
      ? [{ ...message, content: headOf(message.content, MAX_FOLDED_TEXT).toWellFormed() }]
      : []
  })
}

const startOfNewest = (all: readonly Counted[]): number =>
  Math.max(
    0,
    all.findLastIndex(({ message }) => message.role === 'assistant'),
  )

const startOfSecond = (all: readonly Counted[]): number =>
  all.findIndex(({ message }, index) => index > 0 && message.role === 'assistant')

/** Characters of a result, or of what was said, that are left when it is shortened. */
const MAX_SHOWN_TEXT = 400
/** The same where even short forms are too long. */
const MAX_FOLDED_TEXT = 60
/** Characters of one argument that are left. */
const MAX_SHOWN_ARGUMENT = 80
/** Characters of a name of an argument that are left, and how many arguments. */
const MAX_SHOWN_NAME = 64
const MAX_SHOWN_ARGUMENTS = 12

function shortened(message: StepMessage): StepMessage {
  if (message.role === 'tool') return { ...message, content: head(message.content, MAX_SHOWN_TEXT) }
  const text = head(message.text, MAX_SHOWN_TEXT)
  return { ...message, text, calls: message.calls.map(shortCall) }
}

/** Providers take only JSON objects as arguments, so each argument is shortened for itself. */
function shortCall(call: ToolCall): ToolCall {
  const parsed = parseArguments(call.arguments)
  const entries = Object.entries(parsed.ok ? parsed.value : {})
  const kept = entries.slice(0, MAX_SHOWN_ARGUMENTS)
  const short = kept.map(([name, value]) => [head(name, MAX_SHOWN_NAME), shortValue(value)])
  return { ...call, arguments: JSON.stringify(Object.fromEntries(short)) }
}

function shortValue(value: Json): Json {
  if (typeof value === 'string') return head(value, MAX_SHOWN_ARGUMENT)
  const isLong = Array.isArray(value) || isJsonObject(value)
  const text = isLong ? JSON.stringify(value) : ''
  return text.length > MAX_SHOWN_ARGUMENT ? head(text, MAX_SHOWN_ARGUMENT) : value
}

/** The beginning of a text that is too long, and how much is missing. */
function head(text: string, characters: number): string {
  const missing = text.length - characters
  if (missing <= LEFT_OUT_CHARS) return text
  return `${headOf(text, characters).toWellFormed()}… [${missing} characters left out: this turn has no more space]`
}

/** What fits into the note's own length is not worth leaving out. */
const LEFT_OUT_CHARS = 64

/** Tokens that a provider adds around a message or a definition: a few, so this number is high. */
const FRAMING_TOKENS = 8

/** Counts the tokens of a turn's messages, those of each once. */
export function createTokenMeter(composer: Pick<Composer, 'count'>, encoding: string) {
  const known = new WeakMap<StepMessage, number>()
  return async (messages: readonly StepMessage[]): Promise<readonly number[]> => {
    const fresh = messages.filter((message) => !known.has(message))
    const counts = await composer.count(encoding, fresh.map(textOf))
    for (const [message, tokens] of zip(fresh, counts)) known.set(message, tokens + FRAMING_TOKENS)
    return messages.map((message) => known.get(message) ?? 0)
  }
}

const textOf = (message: StepMessage): string => {
  switch (message.role) {
    case 'tool':
      return `${JSON.stringify({ response: message.name, name: message.name, tool_call_id: message.call })}\n${message.content}`
    case 'assistant':
      return [
        message.text,
        ...message.calls.map(callText),
        ...(message.thoughts ?? []).map(thoughtText),
      ].join('\n')
  }
}

/**
 * As providers of OpenAI's kind are sent it: most chat templates show a model about as much around each call, and none is
 * known to show more. Of a result, too, the names of what is around it are counted.
 */
const callText = ({ id, name, arguments: given }: ToolCall): string =>
  JSON.stringify([{ id, type: 'function', function: { name, arguments: given } }])

/** A signature is counted like text, which is more than it may be. */
const thoughtText = ({ text, providerData }: Thought): string =>
  providerData ? `${text}\n${JSON.stringify(providerData)}` : text
