import { headOf } from '../base/text/characters.ts'
import { zip } from '../base/basics.ts'
import type { Composer } from '../wrap/index.ts'
import type { ToolCall } from '../wrap/toolbox/index.ts'
import type { StepMessage, Thought } from '../wrap/loop/index.ts'

export interface ShownMessages {
  readonly messages: readonly StepMessage[]
  readonly tokens: number
}

/** Fits all messages into `tokens`. The result is larger only if one call of the newest step needs more. */
export type FitMessages = (messages: readonly StepMessage[], tokens: number) => Promise<ShownMessages>

/** Fraction of the tokens for older messages once any was shortened; the rest is for the next results. */
const SHARE_AFTER_SHORTENING = 0.75

/**
 * Shortens older steps' results first, oldest first, then their text and calls, then the newest step. Then
 * drops the oldest steps, and finally calls of the newest step. Shortens a message only once and returns
 * unchanged messages as the same objects: the turn log compares objects, and providers cache equal prefixes.
 */
export function createFitMessages(composer: Pick<Composer, 'count'>, encoding: string): FitMessages {
  const counts = new WeakMap<StepMessage, number>()
  const shortForms = new WeakMap<StepMessage, StepMessage>()

  async function counted(messages: readonly StepMessage[]): Promise<readonly CountedMessage[]> {
    const fresh = messages.filter((message) => !counts.has(message))
    const tokens = await composer.count(encoding, fresh.map(textOf))
    for (const [message, count] of zip(fresh, tokens))
      counts.set(message, count + tokensOfPictures(message) + FRAMING_TOKENS)
    return messages.map((message) => ({ message, cost: counts.get(message) ?? 0 }))
  }

  function shortOf(message: StepMessage): StepMessage {
    const short = shortForms.get(message) ?? shortForm(message)
    shortForms.set(message, short)
    return short
  }

  /** Halves the number of the newest step's calls until the step fits or has one call. */
  async function withFewerCalls(
    step: readonly CountedMessage[],
    tokens: number,
  ): Promise<readonly CountedMessage[]> {
    const messages = step.map(({ message }) => message)
    for (let kept = Math.floor((messages.length - 1) / 2); ; kept = Math.floor(kept / 2)) {
      const shown = await counted(firstCalls(messages, Math.max(1, kept)))
      if (sum(shown) <= tokens || kept <= 1) return shown
    }
  }

  return async (messages, tokens) => {
    let shown = await counted(messages)
    if (sum(shown) > tokens) {
      const short = await counted(messages.map(shortOf))
      shown = withoutOldest(shorten(shown, short, tokens), tokens)
      if (sum(shown) > tokens) shown = await withFewerCalls(shown, tokens)
    }
    return { messages: shown.map(({ message }) => message), tokens: sum(shown) }
  }
}

interface CountedMessage {
  readonly message: StepMessage
  readonly cost: number
}

const sum = (all: readonly CountedMessage[]): number => all.reduce((total, { cost }) => total + cost, 0)

/** Replaces messages by their short forms until the rest fits. */
function shorten(
  all: readonly CountedMessage[],
  short: readonly CountedMessage[],
  tokens: number,
): readonly CountedMessage[] {
  const now = [...all]
  const newest = startOfNewest(all)
  let total = sum(all)
  for (const index of shorteningOrder(all, newest)) {
    if (total <= (index < newest ? tokens * SHARE_AFTER_SHORTENING : tokens)) continue
    const [before, after] = [now[index], short[index]]
    if (!before || !after || after.cost >= before.cost) continue
    now[index] = after
    total -= before.cost - after.cost
  }
  return now
}

function shorteningOrder(all: readonly CountedMessage[], newest: number): readonly number[] {
  const places = all.map(({ message: { role } }, index) => ({ role, index, isNew: index >= newest }))
  return [false, true].flatMap((isNew) =>
    (['tool', 'assistant'] as const).flatMap((role) =>
      places.filter((one) => one.isNew === isNew && one.role === role).map(({ index }) => index),
    ),
  )
}

/** Never leaves out the newest step, or a part of a step: providers refuse a result without its call. */
function withoutOldest(all: readonly CountedMessage[], tokens: number): readonly CountedMessage[] {
  let kept = all
  while (sum(kept) > tokens && startOfNewest(kept) > 0) {
    const second = kept.findIndex(({ message }, index) => index > 0 && message.role === 'assistant')
    kept = kept.slice(second)
  }
  return kept
}

/** Returns a step with only its first `count` calls and their results. */
function firstCalls(step: readonly StepMessage[], count: number): readonly StepMessage[] {
  const all = step.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  const text = `[${all.length} calls in this step; their results are left out: this turn has no more space]`
  const calls = all.slice(0, count).map((call) => ({ ...call, arguments: '{}' }))
  return step.flatMap((message): readonly StepMessage[] => {
    if (message.role === 'assistant') return [{ ...message, text, calls }]
    const { pictures: _, ...result } = message
    const content = headOf(message.content, MAX_FOLDED_RESULT).toWellFormed()
    return calls.some(({ id }) => id === message.call) ? [{ ...result, content }] : []
  })
}

const startOfNewest = (all: readonly CountedMessage[]): number =>
  Math.max(
    0,
    all.findLastIndex(({ message }) => message.role === 'assistant'),
  )

const MAX_SHOWN_TEXT = 400
/** Characters of each result that remain if other calls of the same step were dropped. */
const MAX_FOLDED_RESULT = 60
/** A text is cut only if more characters than this are left out: the note itself takes about as many. */
const MIN_LEFT_OUT = 64

function shortForm(message: StepMessage): StepMessage {
  if (message.role === 'tool') {
    const { pictures = [], ...result } = message
    const content = head(message.content)
    return { ...result, content: pictures.length === 0 ? content : `${content}\n${PICTURE_LEFT_OUT}` }
  }
  return { ...message, text: head(message.text), calls: message.calls.map(withoutArguments) }
}

const PICTURE_LEFT_OUT = '[the picture is left out: this turn has no more space]'

export const tokensOfPictures = (message: StepMessage): number =>
  message.role === 'tool' ? (message.pictures ?? []).reduce((total, { tokens }) => total + tokens, 0) : 0

/** Providers take only JSON objects as arguments. */
const withoutArguments = (call: ToolCall): ToolCall => ({
  ...call,
  arguments: JSON.stringify({ note: `${call.arguments.length} characters left out` }),
})

function head(text: string): string {
  const missing = text.length - MAX_SHOWN_TEXT
  if (missing <= MIN_LEFT_OUT) return text
  return `${headOf(text, MAX_SHOWN_TEXT).toWellFormed()}… [${missing} characters left out: this turn has no more space]`
}

/** Tokens that a provider adds around a message; a high estimate. */
const FRAMING_TOKENS = 8

function textOf(message: StepMessage): string {
  if (message.role === 'tool') {
    const { name, call, content } = message
    return `${JSON.stringify({ response: name, name, tool_call_id: call })}\n${content}`
  }
  const { text, calls, thoughts = [] } = message
  return [text, ...calls.map(callText), ...thoughts.map(thoughtText)].join('\n')
}

/** OpenAI's wire format: most chat templates add about as much to a call; none is known to add more. */
const callText = ({ id, name, arguments: given }: ToolCall): string =>
  JSON.stringify([{ id, type: 'function', function: { name, arguments: given } }])

/** Counts a signature like text, which may be too much. */
const thoughtText = ({ text, providerData }: Thought): string =>
  providerData ? `${text}\n${JSON.stringify(providerData)}` : text
