import type { Lua, LuaFunction, Value } from './lua.ts'
import type { Match, Patterns } from './patterns.ts'

/** The string library, but for format. Strings have a character a byte. Part of the context; stands alone. */
export function addStrings(lua: Lua & { patterns: Patterns }): void {
  const { check, patterns, numbers } = lua
  type Args = readonly Value[]

  /** A position from 1, or from the end if negative; 0 is before the beginning. */
  const from1 = (position: number, length: number): number => {
    if (position >= 0) return position
    return -position > length ? 0 : length + position + 1
  }
  const slice = (text: string, from: number, to: number): string =>
    text.slice(Math.max(from1(from, text.length), 1) - 1, Math.max(from1(to, text.length), 0))

  const sized = (text: string): string => {
    lua.charge(text.length)
    return text
  }
  const mapped =
    (change: (text: string) => string) =>
    (...args: Value[]): Value[] => [sized(change(check.text(args, 1)))]

  function repeat(...args: Value[]): Value[] {
    const [text, count] = [check.text(args, 1), check.integer(args, 2)]
    const separator = args[2] === undefined ? '' : check.text(args, 3)
    if (count <= 0) return ['']
    const length = text.length * count + separator.length * (count - 1)
    if (length >= 2 ** 31) return lua.fail('resulting string too large')
    lua.charge(length)
    return [separator === '' ? text.repeat(count) : (text + separator).repeat(count - 1) + text]
  }

  function search(args: Args, isFind: boolean): Value[] {
    const [subject, pattern] = [check.text(args, 1), check.text(args, 2)]
    const init = Math.max(from1(check.integer(args, 3, 1), subject.length), 1) - 1
    if (init > subject.length) return [undefined]
    if (isFind && (lua.truth(args[3]) || !/[\^$*+?.([%-]/.test(pattern))) {
      const at = subject.indexOf(pattern, init)
      return at < 0 ? [undefined] : [at + 1, at + pattern.length]
    }
    const match = patterns.find(subject, pattern, init)
    if (!match) return [undefined]
    if (!isFind) return patterns.captured(subject, match)
    const captures = match.captures.length > 0 ? patterns.captured(subject, match) : []
    return [match.start + 1, match.end, ...captures]
  }

  function gmatch(...args: Value[]): Value[] {
    const [subject, pattern] = [check.text(args, 1), check.text(args, 2)]
    let at = Math.max(from1(check.integer(args, 3, 1), subject.length), 1) - 1
    let last = -1
    const step: LuaFunction = () => {
      for (; at <= subject.length; at += 1) {
        // The sign ^ means nothing special here.
        const match = patterns.at(subject, pattern.startsWith('^') ? `%${pattern}` : pattern, at)
        if (!match || match.end === last) continue
        at = match.end
        last = match.end
        return patterns.captured(subject, match)
      }
      return [undefined]
    }
    return [step]
  }

  const filled = (template: string, subject: string, match: Match): string =>
    template.replace(/%([\s\S]?)/g, (_, sign: string) => {
      if (sign === '%') return '%'
      if (sign === '0') return subject.slice(match.start, match.end)
      if (!/^\d$/.test(sign)) return lua.fail(`invalid use of '%' in replacement string`)
      const values = patterns.captured(subject, match)
      const number = Number(sign)
      if (number > values.length) return lua.fail(`invalid capture index %${number}`)
      return lua.toText(values[number - 1])
    })

  function replacement(by: Value, subject: string, match: Match): string {
    const whole = subject.slice(match.start, match.end)
    if (typeof by === 'string') return filled(by, subject, match)
    const captures = patterns.captured(subject, match)
    const value = typeof by === 'function' ? lua.invoke(by, ...captures)[0] : lua.index(0, by, captures[0])
    if (!lua.truth(value)) return whole
    if (typeof value === 'string') return value
    if (numbers.isNumber(value)) return numbers.toText(value)
    return lua.fail(`invalid replacement value (a ${lua.type(value)})`)
  }

  function gsub(...args: Value[]): Value[] {
    const [subject, pattern] = [check.text(args, 1), check.text(args, 2)]
    const by = numbers.isNumber(args[2]) ? numbers.toText(args[2]) : args[2]
    if (typeof by !== 'string' && typeof by !== 'function' && !(by instanceof lua.Table)) {
      lua.badArgument(3, `string/function/table expected, got ${args.length < 3 ? 'no value' : lua.type(by)}`)
    }
    const most = check.integer(args, 4, Infinity)
    const parts: string[] = []
    let [at, count, last] = [0, 0, -1]
    while (count < most) {
      const match = patterns.at(subject, pattern, at)
      if (match && match.end !== last) {
        count += 1
        parts.push(sized(replacement(by, subject, match)))
        at = match.end
        last = match.end
      } else if (at < subject.length) {
        parts.push(subject[at]!)
        at += 1
      } else break
      if (patterns.isAnchored(pattern)) break
    }
    parts.push(subject.slice(at))
    return [sized(parts.join('')), count]
  }

  const library = lua.library({
    len: (...args) => [check.text(args, 1).length],
    sub: (...args) => [slice(check.text(args, 1), check.integer(args, 2, 1), check.integer(args, 3, -1))],
    // Only ASCII has cases: bytes of other letters stay as they are.
    lower: mapped((text) => text.replace(/[A-Z]+/g, (run) => run.toLowerCase())),
    upper: mapped((text) => text.replace(/[a-z]+/g, (run) => run.toUpperCase())),
    reverse: mapped((text) => Array.from(text, (_, index) => text[text.length - 1 - index]).join('')),
    rep: repeat,
    byte(...args) {
      const text = check.text(args, 1)
      const first = check.integer(args, 2, 1)
      const part = slice(text, first, check.integer(args, 3, from1(first, text.length)))
      if (part.length > 100_000) return lua.fail('string slice too long')
      return Array.from(part, (character) => character.charCodeAt(0))
    },
    char: (...args) => [
      args
        .map((_, index) => {
          const code = check.integer(args, index + 1)
          if (code < 0 || code > 255) lua.badArgument(index + 1, 'value out of range')
          return String.fromCharCode(code)
        })
        .join(''),
    ],
    find: (...args) => search(args, true),
    match: (...args) => search(args, false),
    gmatch,
    gsub,
  })
  lua.globals.set('string', library)
  lua.stringMeta.set('__index', library)
}
