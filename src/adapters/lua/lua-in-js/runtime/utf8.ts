import type { Lua, Value } from './lua.ts'

/** The utf8 library, on strings with a character a byte. Part of the context; stands alone. */
export function addUtf8(lua: Lua): void {
  const { check } = lua
  const isContinuation = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xc0) === 0x80
  const from1 = (position: number, length: number): number => {
    if (position >= 0) return position
    return -position > length ? 0 : length + position + 1
  }

  function encode(code: number): string {
    if (code < 0x80) return String.fromCharCode(code)
    const bytes: number[] = []
    let [rest, room] = [code, 0x3f]
    do {
      bytes.unshift(0x80 | (rest & 0x3f))
      rest = Math.floor(rest / 64)
      room >>= 1
    } while (rest > room)
    bytes.unshift(((~room << 1) & 0xff) | rest)
    return String.fromCharCode(...bytes)
  }

  /** The code at a byte (from 0) and the byte after it; undefined if it is not UTF-8. */
  function decode(
    text: string,
    at: number,
    isLax: boolean,
  ): readonly [code: number, next: number] | undefined {
    const first = text.charCodeAt(at)
    if (first < 0x80) return [first, at + 1]
    if (first < 0xc0 || first >= 0xfe) return undefined
    const count = Math.clz32(~(first << 24)) - 1
    let code = first & (0x3f >> count)
    for (let index = 1; index <= count; index += 1) {
      if (!isContinuation(text, at + index)) return undefined
      code = code * 64 + (text.charCodeAt(at + index) & 0x3f)
    }
    const least = [0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000][count]!
    if (code < least) return undefined
    const isReal = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isReal || isLax ? [code, at + count + 1] : undefined
  }

  function len(...args: Value[]): Value[] {
    const text = check.text(args, 1)
    let at = from1(check.integer(args, 2, 1), text.length) - 1
    const last = from1(check.integer(args, 3, -1), text.length) - 1
    if (at < 0 || at > text.length) return lua.badArgument(2, 'initial position out of bounds')
    if (last >= text.length) return lua.badArgument(3, 'final position out of bounds')
    let count = 0
    while (at <= last) {
      const step = decode(text, at, lua.truth(args[3]))
      if (!step) return [undefined, at + 1]
      at = step[1]
      count += 1
    }
    return [count]
  }

  function codepoint(...args: Value[]): Value[] {
    const text = check.text(args, 1)
    const first = from1(check.integer(args, 2, 1), text.length)
    const last = from1(check.integer(args, 3, first), text.length)
    if (first < 1) return lua.badArgument(2, 'out of bounds')
    if (last > text.length) return lua.badArgument(3, 'out of bounds')
    const codes: number[] = []
    let at = first - 1
    while (at < last) {
      const [code, next] = decode(text, at, lua.truth(args[3])) ?? lua.fail('invalid UTF-8 code')
      codes.push(code)
      at = next
    }
    return codes
  }

  function offset(...args: Value[]): Value[] {
    const text = check.text(args, 1)
    let count = check.integer(args, 2)
    let at = from1(check.integer(args, 3, count > 0 ? 1 : text.length + 1), text.length) - 1
    if (at < 0 || at > text.length) return lua.badArgument(3, 'position out of bounds')
    if (count === 0) {
      while (at > 0 && isContinuation(text, at)) at -= 1
      return [at + 1]
    }
    if (isContinuation(text, at)) return lua.fail('initial position is a continuation byte')
    for (; count < 0 && at > 0; count += 1) {
      do at -= 1
      while (at > 0 && isContinuation(text, at))
    }
    for (count -= count > 0 ? 1 : 0; count > 0 && at < text.length; count -= 1) {
      do at += 1
      while (isContinuation(text, at))
    }
    return [count === 0 ? at + 1 : undefined]
  }

  function codes(...args: Value[]): Value[] {
    const text = check.text(args, 1)
    const isLax = lua.truth(args[1])
    const walk = (...[, position]: Value[]): Value[] => {
      let at = Number(position)
      while (at > 0 && isContinuation(text, at)) at += 1
      if (at >= text.length) return [undefined]
      const [code, next] = decode(text, at, isLax) ?? lua.fail('invalid UTF-8 code')
      if (isContinuation(text, next)) return lua.fail('invalid UTF-8 code')
      return [at + 1, code]
    }
    return [walk, text, 0]
  }

  const utf8 = lua.library({
    char: (...args) => [
      args
        .map((_, index) => {
          const code = check.integer(args, index + 1)
          if (code < 0 || code >= 2 ** 31) lua.badArgument(index + 1, 'value out of range')
          return encode(code)
        })
        .join(''),
    ],
    len,
    codepoint,
    offset,
    codes,
  })
  utf8.set('charpattern', '[\0-\x7F\xC2-\xFD][\x80-\xBF]*')
  lua.globals.set('utf8', utf8)
}
