import { isCall, type Mark, markAt, MARKS } from './marks.ts'
import type { ModelEvent } from './model.ts'

/** An event of a step. `unsay`: all text so far in this step was a thought. */
type StepEvent =
  | ModelEvent
  | { readonly type: 'unsay' }
  /** A call that the server left in the text. */
  | { readonly type: 'written-call'; readonly text: string }

/**
 * Separates marked thoughts and calls from the text. A tag in code stays text, because a model can write
 * about tags. If a chat template wrote the opening tag, the first closing tag alone on a line ends a thought
 * that began with the answer.
 */
export async function* withTaggedThoughts(events: AsyncIterable<ModelEvent>): AsyncGenerator<StepEvent> {
  const splitter = new ThoughtSplitter()
  for await (const event of events) {
    if (event.type === 'text') yield* splitter.push(event.text)
    else {
      const isOver = event.type === 'call' || event.type === 'finish'
      if (isOver) yield* splitter.end(event.type === 'finish' && event.reason === 'stop')
      yield event
    }
  }
}

/** A line that opens or closes a code block (spec.commonmark.org/0.31.2, fenced code blocks). */
const FENCE = /^ {0,3}(?:```|~~~)/
/** The characters of a line that tell whether it is a fence. */
const MAX_FENCE_CHARS = 8
/** The limit of white space held back at a line's beginning, because a tag may follow. */
const MAX_HELD_BLANKS = 256

/** Splits one answer into text and thoughts. Reads each character few times, however the pieces are cut. */
class ThoughtSplitter {
  /** Text received and not yet passed on. */
  #held = ''
  #thought = ''
  #inside: Mark | undefined
  /** The line's first characters; undefined at its beginning. */
  #line: string | undefined
  #isCode = false
  /** True after an odd number of backticks on this line, which begin inline code. */
  #isQuoted = false
  #hasSaid = false
  #hasThought = false
  /** True between a thought and the next text; white space there is dropped. */
  #isAfterThought = false

  #take(characters = this.#held.length): string {
    const taken = this.#held.slice(0, characters)
    this.#held = this.#held.slice(characters)
    return taken
  }

  *#say(text: string): Iterable<StepEvent> {
    this.#hasSaid ||= text.trim() !== ''
    if (text !== '') yield { type: 'text', text }
  }

  *#think(text: string): Iterable<StepEvent> {
    this.#thought += text
    if (text !== '') yield { type: 'thinking', text }
  }

  *#endThought(): Iterable<StepEvent> {
    const text = this.#thought.trim()
    this.#thought = ''
    this.#inside = this.#line = undefined
    this.#isQuoted = false
    this.#hasThought = this.#isAfterThought = true
    if (text !== '') yield { type: 'thought', thought: { text } }
  }

  *#unsay(): Iterable<StepEvent> {
    this.#hasThought = this.#isAfterThought = true
    this.#hasSaid = false
    yield { type: 'unsay' }
  }

  #open(mark: Mark): void {
    this.#take(mark.open.length)
    if (mark.kind !== 'answer') this.#inside = mark
    this.#line = undefined
    this.#isQuoted = false
  }

  /** Continues a thought or a call, up to its end. Passes on nothing of a call before its end. */
  *#goOnInside({ kind, close }: Mark): Iterable<StepEvent> {
    const ends = close.map((tag) => this.#held.indexOf(tag)).filter((at) => at >= 0)
    const partial = Math.max(0, ...close.map((tag) => partialTagLength(this.#held, tag)))
    const text = this.#take(ends.length > 0 ? Math.min(...ends) : this.#held.length - partial)
    if (kind === 'call') this.#thought += text
    else yield* this.#think(text)
    if (ends.length === 0) return
    const closing = close[0] ?? ''
    const isClosed = this.#held.startsWith(closing)
    if (isClosed) this.#take(closing.length)
    yield* kind === 'call' ? this.#endCall(isClosed ? closing : '') : this.#endThought()
  }

  /** Gives back a sentence about calls as text. `isCut` is true if the answer was cut off in the call. */
  *#endCall(closing: string, isCut = false): Iterable<StepEvent> {
    const text = `${this.#inside?.open}${this.#thought}${closing}`
    const isReal = isCall(this.#thought, isCut)
    this.#thought = ''
    this.#inside = undefined
    this.#line = isReal ? undefined : ''
    if (isReal) yield { type: 'written-call', text }
    else yield* this.#say(text)
  }

  /** Reads a line's beginning. Passes nothing on while the line may still begin with a tag. */
  *#beginLine(): Iterable<StepEvent> {
    if (this.#isAfterThought) this.#held = this.#held.trimStart()
    const rest = this.#held.trimStart()
    const opened = this.#isCode ? undefined : markAt(rest)
    if (opened) {
      this.#held = rest
      this.#open(opened)
    } else if (this.#mayEndThought() && closesAlone(rest)) {
      this.#held = rest
      yield* this.#unsay()
      this.#take(this.#held.indexOf('\n') + 1)
    } else if (this.#isCode || !this.#mayBecomeTag(rest)) {
      this.#isAfterThought &&= rest === ''
      const blanks = this.#take(this.#held.length - rest.length)
      this.#line = blanks.slice(blanks.lastIndexOf('\n') + 1)
      yield* this.#say(blanks)
      if (rest !== '') yield* this.#goOnSpeaking(this.#line)
      else if (this.#line === '') this.#line = undefined
    }
  }

  #mayEndThought(): boolean {
    return !this.#hasThought && !this.#isCode
  }

  #mayBecomeTag(rest: string): boolean {
    return (
      (rest === '' && this.#held.length < MAX_HELD_BLANKS) ||
      (rest !== '' && MARKS.some(({ open }) => open.startsWith(rest))) ||
      (rest !== '' && this.#mayEndThought() && THOUGHT_ENDS.some((close) => mayCloseAlone(close, rest)))
    )
  }

  /** Continues a line, up to its end or a tag. */
  *#goOnSpeaking(begun: string): Iterable<StepEvent> {
    const end = this.#held.indexOf('\n') + 1
    const found = this.#isCode
      ? undefined
      : findTag(end > 0 ? this.#held.slice(0, end) : this.#held, this.#isQuoted)
    const text = this.#take(found?.at ?? (end > 0 ? end : this.#held.length))
    this.#line = (begun + text).slice(0, MAX_FENCE_CHARS)
    this.#isQuoted = hasOddTicks(text) !== this.#isQuoted
    yield* this.#say(text)
    if (found?.tag) this.#open(found.tag)
    else if (end > 0 && !found) {
      if (FENCE.test(this.#line)) this.#isCode = !this.#isCode
      this.#line = undefined
      this.#isQuoted = false
    }
  }

  *push(piece: string): Iterable<StepEvent> {
    this.#held += piece
    for (let isMoving = true; isMoving && this.#held !== '';) {
      const [inside, { length }] = [this.#inside, this.#held]
      if (this.#inside) yield* this.#goOnInside(this.#inside)
      else yield* this.#line === undefined ? this.#beginLine() : this.#goOnSpeaking(this.#line)
      isMoving = this.#held.length !== length || this.#inside !== inside
    }
  }

  /** `isWhole`: the model stopped by itself, so an unclosed thought that began after text is text. */
  *end(isWhole: boolean): Iterable<StepEvent> {
    if (!this.#inside && this.#mayEndThought() && THOUGHT_ENDS.includes(this.#held.trim())) {
      this.#take()
      return yield* this.#unsay()
    }
    if (!this.#inside) return yield* this.#say(this.#take())
    if (this.#inside.kind === 'call') {
      this.#thought += this.#take()
      return yield* this.#endCall('', !isWhole)
    }
    yield* this.#think(this.#take())
    if (!this.#hasSaid || !isWhole) return yield* this.#endThought()
    const text = `${this.#inside.open}${this.#thought}`
    this.#inside = undefined
    yield* this.#say(text)
  }
}

const THOUGHT_ENDS: readonly string[] = MARKS.flatMap(({ kind, close: [end] }) =>
  kind === 'thought' && end !== undefined ? [end] : [],
)

/**
 * Finds the first opening tag outside of code, or a part of one at the end (without `tag`). `isQuoted` is
 * true if the text begins inside inline code.
 */
function findTag(text: string, isQuoted: boolean): { readonly at: number; readonly tag?: Mark } | undefined {
  let isCode = isQuoted
  for (const { 0: sign, index } of text.matchAll(/[<[◁`]/g)) {
    if (sign === '`') isCode = !isCode
    if (isCode || sign === '`') continue
    const tag = markAt(text, index)
    if (tag) return { at: index, tag }
    if (MARKS.some(({ open }) => isTagStart(text, index, open))) return { at: index }
  }
  return undefined
}

const isTagStart = (text: string, at: number, tag: string): boolean =>
  text.length - at < tag.length && tag.startsWith(text.slice(at))

const hasOddTicks = (text: string): boolean => (text.split('`').length - 1) % 2 === 1

/** Returns the number of characters at the text's end that are the beginning of the tag. */
function partialTagLength(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length
  return 0
}

/** True for a closing tag with nothing after it on its line. */
const closesAlone = (rest: string): boolean =>
  THOUGHT_ENDS.some((close) => rest.startsWith(close) && /^[ \t\r]*\n/.test(rest.slice(close.length)))

/** True if a line may still turn out to have only a closing tag. */
const mayCloseAlone = (close: string, rest: string): boolean =>
  close.startsWith(rest) || (rest.startsWith(close) && /^[ \t\r]*$/.test(rest.slice(close.length)))
