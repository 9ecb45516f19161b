import type { Call, Functions, ToText, Value } from './realm.ts'

type Sprintf = (format: string, value: unknown) => string

/** String functions that lua-in-js lacks or has wrong. Sent to the context as text. */
export function createStrings(
  sprintf: Sprintf,
  search: ReturnType<typeof createSearch>,
  call: Call,
  text: ToText,
): Functions {
  const escaped = (letter: string): string =>
    letter === '\n' ? '\\\n' : `\\${String(letter.charCodeAt(0)).padStart(3, '0')}`
  return {
    upper: (value) => text(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
    lower: (value) => text(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    rep(value, count, between = '') {
      const [one, gap, times] = [text(value), text(between), Math.floor(Number(count))]
      const problem = times >= 2 ** 31 ? 'resulting string too large' : 'not enough memory'
      if ((one.length + gap.length) * times > 16_000_000) throw new Error(problem)
      return times > 0 ? (one + gap).repeat(times - 1) + one : ''
    },
    format(template, ...given) {
      return text(template).replace(/%([-+ #0]*\d{0,2}(?:\.\d{0,2})?)([^]?)/g, (spec, form, letter) => {
        if (letter === '%') return letter
        const value = given.shift()
        if (letter === 's') return sprintf(spec, value ?? 'nil')
        if (letter === 'q' && typeof value === 'string')
          return `"${value.replace(/["\\\0-\x1f\x7f]/g, escaped)}"`
        if (/[aefg]/i.test(letter)) return sprintf(spec, Number(value))
        if (/[cdioxX]/.test(letter) && Number.isInteger(Number(value)))
          return sprintf(`%${form}ll${letter}`, value)
        throw new Error(`bad argument to 'format' (${spec} of a ${typeof value})`)
      })
    },
    find(subject, pattern, init, isPlain) {
      const [match] = search(subject, isPlain ? text(pattern).replace(/\W/g, '%$&') : pattern, init)
      return match && [match.start + 1, match.stop, ...match.captures]
    },
    match: (subject, pattern, init) => search(subject, pattern, init).next().value?.given,
    gmatch(subject, pattern) {
      const found = search(subject, pattern)
      return () => found.next().value?.given
    },
    gsub(subject, pattern, by, most = Infinity) {
      let [made, done, count] = ['', 0, 0]
      for (const { start, stop, all, given } of search(subject, pattern)) {
        if (count >= Number(most)) break
        const fill = (_: string, it: string): string => (/\d/.test(it) ? text([all, ...given][+it]) : it)
        let value: Value
        if (typeof by === 'function') value = call(by, ...given)[0]
        else value = typeof by === 'object' ? by.get(given[0]) : text(by).replace(/%([^])/g, fill)
        made += text(subject).slice(done, start) + text(value === undefined || value === false ? all : value)
        ;[done, count] = [stop, count + 1]
      }
      return [made + text(subject).slice(done), count]
    },
  }
}

/** Finds patterns of Lua, converted to regular expressions. Sent to the context as text. */
export function createSearch(text: ToText) {
  const classes: Readonly<Record<string, string>> = {
    a: 'A-Za-z',
    d: '0-9',
    l: 'a-z',
    u: 'A-Z',
    w: '0-9A-Za-z',
    x: '0-9A-Fa-f',
    s: '\\t-\\r\\x20',
    c: '\\0-\\x1f\\x7f',
    g: '\\x21-\\x7e',
    p: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  }
  const hex = (letter: string): string => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
  const single = (part: string): string => {
    const letter = part.at(-1) ?? ''
    const members = part.length > 1 ? classes[letter.toLowerCase()] : undefined
    return members === undefined ? hex(letter) : `[${letter < 'a' ? '^' : ''}${members}]`
  }
  const member = (it: string, from?: string, to = ''): string =>
    from ? `${hex(from)}-${hex(to)}` : single(it)
  const items = /\(\)|%[bf]|[()]|\$$|%([1-9])|(?:\[(\^?)(\]?(?:%[^]|[^\]%])*)\]|(%?[^]))([*+?-]?)/g
  const translate = (pattern: string): string =>
    pattern.replace(items, (all, back, not, members = '', one, repeated) => {
      if (/^(\(\)|%[bf])$/.test(all)) throw new Error(`this engine has no ${all} in patterns`)
      if (back !== undefined) return `(?:\\${back})`
      if (repeated === undefined) return all
      const set = `[${not}${members.replace(/([^%])-([^])|%?[^]/g, member)}]`
      return (one === undefined ? set : one === '.' ? one : single(one)) + repeated.replace('-', '*?')
    })
  /** Yields the matches from an index on, except an empty match right behind another. */
  return function* (subject: Value, pattern: Value, init: Value = 1) {
    const [within, wanted, at] = [text(subject), text(pattern), Number(init)]
    const regex = new RegExp(translate(wanted.replace(/^\^/, '')), wanted[0] === '^' ? 'vsy' : 'vsg')
    let [from, end] = [Math.max(0, at < 0 ? within.length + at : at - 1), -1]
    while (from <= within.length) {
      regex.lastIndex = from
      const match = regex.exec(within)
      if (!match) return
      const [[all, ...captures], start, stop] = [match, match.index, match.index + match[0].length]
      if (stop !== end) yield { start, stop, all, captures, given: captures.length > 0 ? captures : [all] }
      if (regex.sticky) return
      ;[from, end] = [Math.max(stop, start + 1), stop]
    }
  }
}
