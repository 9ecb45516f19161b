import { isJsonObject, type Json } from '../lib/json.ts'
import { headOf } from '../lib/text/characters.ts'
import { zip } from '../lib/zip.ts'
import { parseArguments, type ToolCall } from '../toolbox/tool-call.ts'
import type { StepMessage } from './ports.ts'

/** The messages of earlier steps as the model is shown them, and their tokens. */
export interface ShownSteps {
  readonly messages: readonly StepMessage[]
  readonly tokens: number
}

/** Fits all messages so far into so many tokens. */
export type FitSteps = (messages: readonly StepMessage[], tokens: number) => Promise<ShownSteps>

/** Share of the tokens that messages may have once something had to be shortened: the rest is for the next results. */
const SHARE_AFTER_SHORTENING = 0.75

/**
 * What a turn has said, called and read may need more tokens than its model has. Then the results of older steps are
 * shown shortened, the oldest first, after them what these steps said and called, and last the newest step's. If all that is
 * too long, the oldest steps are left out. `count` gives the tokens of each message. What is not shortened stays the same
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
    return shown(withoutOldest(replaceInOrder(all, short, tokens), tokens))
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

const startOfNewest = (all: readonly Counted[]): number =>
  Math.max(
    0,
    all.findLastIndex(({ message }) => message.role === 'assistant'),
  )

const startOfSecond = (all: readonly Counted[]): number =>
  all.findIndex(({ message }, index) => index > 0 && message.role === 'assistant')

/** Characters of a result, or of what was said, that are left when it is shortened. */
const MAX_SHOWN_TEXT = 400
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
