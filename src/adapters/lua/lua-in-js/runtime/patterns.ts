import type { Lua, Value } from './lua.ts'

/** A stretch of a subject, from 0; `end` is the position after it. */
export interface Match {
  readonly start: number
  readonly end: number
  /** Stretches; a position capture has the end -1. */
  readonly captures: readonly (readonly [start: number, end: number])[]
}

/** Finds Lua patterns. */
export interface Patterns {
  /** The first match that begins at `init` (from 0) or later. Raises for a malformed pattern. */
  find(subject: string, pattern: string, init: number): Match | undefined
  /** The match that begins right at `init`. */
  at(subject: string, pattern: string, init: number): Match | undefined
  isAnchored(pattern: string): boolean
  /** What a function is given for a match: its captures, or the whole match where there are none. */
  captured(subject: string, match: Match): Value[]
}

type Test = (code: number) => boolean
type Repeat = '' | '*' | '+' | '-' | '?'
type Item =
  | { readonly kind: 'one'; readonly test: Test; readonly repeat: Repeat }
  | { readonly kind: 'open' | 'close' | 'position'; readonly capture: number }
  | { readonly kind: 'balance'; readonly opens: number; readonly closes: number }
  | { readonly kind: 'frontier'; readonly test: Test }
  | { readonly kind: 'back'; readonly capture: number }
  | { readonly kind: 'end' }

/** Lua's patterns, matched as Lua matches them. Part of the context; stands alone. */
export function addPatterns(lua: Lua & { patterns?: Patterns }): void {
  const compiled = new Map<string, { anchored: boolean; items: readonly Item[] }>()
  const deepest = 200

  const between =
    (low: number, high: number): Test =>
    (code) =>
      code >= low && code <= high
  const either =
    (...tests: readonly Test[]): Test =>
    (code) =>
      tests.some((test) => test(code))
  const [digit, lower, upper] = [between(48, 57), between(97, 122), between(65, 90)]
  const letter = either(lower, upper)
  const visible = between(33, 126)
  const alphanumeric = either(letter, digit)
  const classes: Readonly<Record<string, Test>> = {
    a: letter,
    c: either(between(0, 31), between(127, 127)),
    d: digit,
    g: visible,
    l: lower,
    p: (code) => visible(code) && !alphanumeric(code),
    s: either(between(9, 13), between(32, 32)),
    u: upper,
    w: alphanumeric,
    z: between(0, 0),
    x: either(digit, between(97, 102), between(65, 70)),
  }

  function classOf(name: string): Test {
    const test = Object.hasOwn(classes, name.toLowerCase()) ? classes[name.toLowerCase()] : undefined
    if (!test) return literal(name.charCodeAt(0))
    return name === name.toLowerCase() ? test : (code) => !test(code)
  }
  const literal = (code: number): Test => between(code, code)

  /** Reads one pattern from its beginning to its end. */
  function read(pattern: string, from: number): readonly Item[] {
    const items: Item[] = []
    const open: number[] = []
    let [at, captures] = [from, 0]
    const next = (message: string): string => {
      if (at >= pattern.length) lua.fail(message)
      at += 1
      return pattern[at - 1]!
    }

    const set = (): Test => {
      const isNegated = pattern[at] === '^'
      if (isNegated) at += 1
      const tests: Test[] = []
      do {
        const first = next(`malformed pattern (missing ']')`)
        if (first === '%') tests.push(classOf(next(`malformed pattern (missing ']')`)))
        else if (pattern[at] === '-' && at + 1 < pattern.length && pattern[at + 1] !== ']') {
          tests.push(between(first.charCodeAt(0), pattern.charCodeAt(at + 1)))
          at += 2
        } else tests.push(literal(first.charCodeAt(0)))
      } while (pattern[at] !== ']')
      at += 1
      const test = either(...tests)
      return isNegated ? (code) => !test(code) : test
    }
    const one = (test: Test): void => {
      const sign = pattern[at]
      const isRepeated = sign === '*' || sign === '+' || sign === '-' || sign === '?'
      if (isRepeated) at += 1
      items.push({ kind: 'one', test, repeat: isRepeated ? sign : '' })
    }
    const special = (): void => {
      const name = next(`malformed pattern (ends with '%')`)
      if (name === 'b') {
        const missing = `malformed pattern (missing arguments to '%b')`
        items.push({
          kind: 'balance',
          opens: next(missing).charCodeAt(0),
          closes: next(missing).charCodeAt(0),
        })
      } else if (name === 'f') {
        if (pattern[at] !== '[') lua.fail(`missing '[' after '%f' in pattern`)
        at += 1
        items.push({ kind: 'frontier', test: set() })
      } else if (digit(name.charCodeAt(0))) {
        const capture = Number(name) - 1
        if (capture < 0 || capture >= captures || open.includes(capture)) {
          lua.fail(`invalid capture index %${capture + 1}`)
        }
        items.push({ kind: 'back', capture })
      } else one(classOf(name))
    }
    const capture = (): void => {
      if (captures >= 32) lua.fail('too many captures')
      if (pattern[at] === ')') {
        at += 1
        items.push({ kind: 'position', capture: captures })
      } else {
        open.push(captures)
        items.push({ kind: 'open', capture: captures })
      }
      captures += 1
    }

    while (at < pattern.length) {
      const character = next('')
      if (character === '%') special()
      else if (character === '(') capture()
      else if (character === ')') {
        items.push({ kind: 'close', capture: open.pop() ?? lua.fail('invalid pattern capture') })
      } else if (character === '[') one(set())
      else if (character === '.') one(() => true)
      else if (character === '$' && at === pattern.length) items.push({ kind: 'end' })
      else one(literal(character.charCodeAt(0)))
    }
    if (open.length > 0) lua.fail('unfinished capture')
    return items
  }

  function prepared(pattern: string): { anchored: boolean; items: readonly Item[] } {
    const known = compiled.get(pattern)
    if (known) return known
    const anchored = pattern.startsWith('^')
    const made = { anchored, items: read(pattern, anchored ? 1 : 0) }
    if (compiled.size >= 200) compiled.clear()
    compiled.set(pattern, made)
    return made
  }

  function matchAt(subject: string, items: readonly Item[], init: number): Match | undefined {
    const captures: [number, number][] = []
    let depth = 0

    const balanced = (from: number, opens: number, closes: number): number => {
      if (subject.charCodeAt(from) !== opens) return -1
      let level = 1
      for (let at = from + 1; at < subject.length; at += 1) {
        const code = subject.charCodeAt(at)
        if (code === closes) {
          level -= 1
          if (level === 0) return at + 1
        } else if (code === opens) level += 1
      }
      return -1
    }
    const codeAt = (at: number): number => (at >= 0 && at < subject.length ? subject.charCodeAt(at) : 0)
    const fits = (at: number, test: Test): boolean => at < subject.length && test(subject.charCodeAt(at))

    const repeated = (index: number, from: number, test: Test, repeat: Repeat): number => {
      if (repeat === '-') {
        for (let at = from; ; at += 1) {
          const end = run(index + 1, at)
          if (end >= 0) return end
          if (!fits(at, test)) return -1
        }
      }
      let most = from
      const limit = repeat === '?' ? from + 1 : subject.length
      while (most < limit && fits(most, test)) most += 1
      for (let at = most; at >= (repeat === '+' ? from + 1 : from); at -= 1) {
        const end = run(index + 1, at)
        if (end >= 0) return end
      }
      return -1
    }

    /** Where the items from `index` on end when they begin at `at`, or -1. */
    const run = (index: number, at: number): number => {
      depth += 1
      if (depth > deepest) lua.fail('pattern too complex')
      const end = walk(index, at)
      depth -= 1
      return end
    }
    const walk = (first: number, from: number): number => {
      let at = from
      for (let index = first; index < items.length; index += 1) {
        const item = items[index]!
        switch (item.kind) {
          case 'one':
            if (item.repeat !== '') return repeated(index, at, item.test, item.repeat)
            if (!fits(at, item.test)) return -1
            at += 1
            break
          case 'open':
            captures[item.capture] = [at, at]
            break
          case 'position':
            captures[item.capture] = [at, -1]
            break
          case 'close': {
            const before = captures[item.capture]!
            captures[item.capture] = [before[0], at]
            break
          }
          case 'balance':
            at = balanced(at, item.opens, item.closes)
            if (at < 0) return -1
            break
          case 'frontier':
            if (item.test(codeAt(at - 1)) || !item.test(codeAt(at))) return -1
            break
          case 'back': {
            const text = subject.slice(...captures[item.capture]!)
            if (!subject.startsWith(text, at)) return -1
            at += text.length
            break
          }
          case 'end':
            if (at !== subject.length) return -1
            break
        }
      }
      return at
    }
    const end = run(0, init)
    return end < 0 ? undefined : { start: init, end, captures }
  }

  lua.patterns = {
    isAnchored: (pattern) => prepared(pattern).anchored,
    at: (subject, pattern, init) => matchAt(subject, prepared(pattern).items, init),
    find(subject, pattern, init) {
      const { anchored, items } = prepared(pattern)
      for (let at = init; at <= subject.length; at += 1) {
        const match = matchAt(subject, items, at)
        if (match || anchored) return match
      }
      return undefined
    },
    captured(subject, { start, end, captures }) {
      if (captures.length === 0) return [subject.slice(start, end)]
      return captures.map(([from, to]) => (to === -1 ? from + 1 : subject.slice(from, to)))
    },
  }
}
