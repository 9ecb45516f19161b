import type { ModelEvent } from './ports.ts'

/** What a step hears of a model. `unsay`: all that it said so far in this step was a thought. */
type StepEvent = ModelEvent | { readonly type: 'unsay' }

/**
 * Turns what stands between the tags into thoughts. A tag in code is text: so a model can speak of tags. Some templates write the opening tag themselves: then a closing one alone on the first such line ends a
 * thought that began with the answer.
 */
export async function* withTaggedThoughts(events: AsyncIterable<ModelEvent>): AsyncGenerator<StepEvent> {
  const splitter = createSplitter()
  for await (const event of events) {
    if (event.type === 'text') yield* splitter.push(event.text)
    else {
      const isOver = event.type === 'call' || event.type === 'finish'
      if (isOver) yield* splitter.end(event.type === 'finish' && event.reason === 'stop')
      yield event
    }
  }
}

/** Code begins and ends with such a line (spec.commonmark.org/0.31.2, fenced code blocks). */
const FENCE = /^ {0,3}(?:```|~~~)/
/** Characters of a line that tell whether it is a fence. */
const MAX_FENCE_CHARS = 8
/** Blanks for which a line waits for a tag. */
const MAX_HELD_BLANKS = 256

/** Splits one answer. However the pieces are cut, each character is looked at a few times only. */
function createSplitter() {
  /** What has come and is not given out yet. */
  let held = ''
  let thought = ''
  let inside: Tag | undefined
  /** The first characters of the line; undefined at its beginning. */
  let line: string | undefined
  let isCode = false
  /** Whether an odd number of backticks has come on this line: what follows is code. */
  let isQuoted = false
  let hasSaid = false
  let hasThought = false
  /** True until something is said after a thought: blanks there are no speech. */
  let isAfterThought = false

  function take(characters = held.length): string {
    const taken = held.slice(0, characters)
    held = held.slice(characters)
    return taken
  }

  function* say(text: string): Iterable<StepEvent> {
    hasSaid ||= text.trim() !== ''
    if (text !== '') yield { type: 'text', text }
  }

  function* think(text: string): Iterable<StepEvent> {
    thought += text
    if (text !== '') yield { type: 'thinking', text }
  }

  function* endThought(): Iterable<StepEvent> {
    const text = thought.trim()
    thought = ''
    inside = line = undefined
    isQuoted = false
    hasThought = isAfterThought = true
    if (text !== '') yield { type: 'thought', thought: { text } }
  }

  function* unsay(): Iterable<StepEvent> {
    hasThought = isAfterThought = true
    hasSaid = false
    yield { type: 'unsay' }
  }

  /** Goes on within a thought. */
  function* goOnThinking({ close }: Tag): Iterable<StepEvent> {
    const end = held.indexOf(close)
    if (end < 0) return yield* think(take(held.length - lengthOfBegun(held, close)))
    yield* think(take(end))
    take(close.length)
    yield* endThought()
  }

  /** Goes on at the beginning of a line. Gives out nothing while the line may come to begin with a tag. */
  function* beginLine(): Iterable<StepEvent> {
    if (isAfterThought) held = held.trimStart()
    const rest = held.trimStart()
    const opened = isCode ? undefined : TAGS.find(({ open }) => rest.startsWith(open))
    if (opened) {
      held = rest.slice(opened.open.length)
      inside = opened
    } else if (mayEndThought() && closesAlone(rest)) {
      held = rest
      yield* unsay()
      take(held.indexOf('\n') + 1)
    } else if (isCode || !mayBecomeTag(rest)) {
      isAfterThought &&= rest === ''
      const blanks = take(held.length - rest.length)
      line = blanks.slice(blanks.lastIndexOf('\n') + 1)
      yield* say(blanks)
      if (rest !== '') yield* goOnSpeaking(line)
      else if (line === '') line = undefined
    }
  }

  const mayEndThought = (): boolean => !hasThought && !isCode

  const mayBecomeTag = (rest: string): boolean =>
    (rest === '' && held.length < MAX_HELD_BLANKS) ||
    (rest !== '' && TAGS.some(({ open }) => open.startsWith(rest))) ||
    (rest !== '' && mayEndThought() && TAGS.some(({ close }) => isBegun(close, rest)))

  /** Goes on within a line, up to its end or a tag. */
  function* goOnSpeaking(begun: string): Iterable<StepEvent> {
    const end = held.indexOf('\n') + 1
    const found = isCode ? undefined : tagIn(end > 0 ? held.slice(0, end) : held, isQuoted)
    const text = take(found?.at ?? (end > 0 ? end : held.length))
    line = (begun + text).slice(0, MAX_FENCE_CHARS)
    isQuoted = hasOddTicks(text) !== isQuoted
    yield* say(text)
    if (found?.tag) {
      take(found.tag.open.length)
      inside = found.tag
    } else if (end > 0 && !found) {
      if (FENCE.test(line)) isCode = !isCode
      line = undefined
      isQuoted = false
    }
  }

  return {
    *push(piece: string): Iterable<StepEvent> {
      held += piece
      for (let before = -1; held.length !== before && held !== '';) {
        before = held.length
        if (inside) yield* goOnThinking(inside)
        else yield* line === undefined ? beginLine() : goOnSpeaking(line)
      }
    },
    /** `isWhole` if the model ended by itself: then a thought that it began after it had spoken, and never ended, was speech. */
    *end(isWhole: boolean): Iterable<StepEvent> {
      if (!inside && mayEndThought() && TAGS.some(({ close }) => close === held.trim())) {
        take()
        return yield* unsay()
      }
      if (!inside) return yield* say(take())
      yield* think(take())
      if (!hasSaid || !isWhole) return yield* endThought()
      const text = `${inside.open}${thought}`
      inside = undefined
      yield* say(text)
    },
  }
}

/**
 * The tags between which models write what they think, where their server does not take it out of the text:
 * most models (docs.vllm.ai, reasoning/basic_parsers), Seed-OSS (reasoning/seedoss_reasoning_parser), Magistral
 * (reasoning/mistral_reasoning_parser).
 */
const TAGS = [
  { open: '<think>', close: '</think>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
] as const

/** One pair of them. */
type Tag = (typeof TAGS)[number]

/**
 * The first opening tag outside of code, or what the end of the text may be the beginning of. `isQuoted` if the text begins
 * within a line's code.
 */
function tagIn(text: string, isQuoted: boolean): { readonly at: number; readonly tag?: Tag } | undefined {
  let isCode = isQuoted
  for (const { 0: sign, index } of text.matchAll(/[<[`]/g)) {
    if (sign === '`') isCode = !isCode
    if (isCode || sign === '`') continue
    const tag = TAGS.find(({ open }) => text.startsWith(open, index))
    if (tag) return { at: index, tag }
    if (TAGS.some(({ open }) => isEndOf(text, index, open))) return { at: index }
  }
  return undefined
}

/** Whether the text from here on is a beginning of the tag. */
const isEndOf = (text: string, at: number, tag: string): boolean =>
  text.length - at < tag.length && tag.startsWith(text.slice(at))

/** Whether code that begins or ends in a line is open after this text, if it was not before. */
const hasOddTicks = (text: string): boolean => (text.split('`').length - 1) % 2 === 1

/** Characters at the end of a text with which a tag begins. */
function lengthOfBegun(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length
  return 0
}

/** A closing tag with nothing after it on its line. */
const closesAlone = (rest: string): boolean =>
  TAGS.some(({ close }) => rest.startsWith(close) && /^[ \t\r]*\n/.test(rest.slice(close.length)))

/** The beginning of a line on which there may be nothing but a closing tag. */
const isBegun = (close: string, rest: string): boolean =>
  close.startsWith(rest) || (rest.startsWith(close) && /^[ \t\r]*$/.test(rest.slice(close.length)))
