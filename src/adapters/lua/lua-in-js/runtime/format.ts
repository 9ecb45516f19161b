import type { Lua, Table, Value } from './lua.ts'

/** string.format. Part of the context; stands alone. */
export function addFormat(lua: Lua): void {
  const { check, numbers } = lua
  const directive = /%([-+ #0]*)(\d*)(?:\.(\d*))?([\s\S]?)/g

  /** What may stand before each letter. */
  const styles: readonly (readonly [letters: string, style: RegExp])[] = [
    ['di', /^%[-+0 ]*\d*(?:\.\d*)?.$/],
    ['u', /^%[-0]*\d*(?:\.\d*)?.$/],
    ['oxX', /^%[-#0]*\d*(?:\.\d*)?.$/],
    ['aAeEfFgG', /^%[-+#0 ]*\d*(?:\.\d*)?.$/],
    ['s', /^%-*(?:[1-9]\d*)?(?:\.\d*)?.$/],
    ['c', /^%-*(?:[1-9]\d*)?.$/],
  ]
  const isStyled = (whole: string): boolean => {
    const rule = styles.find(([letters]) => letters.includes(whole.at(-1)!))
    return !rule || rule[1].test(whole)
  }

  interface Style {
    readonly flags: string
    readonly width: number
    readonly precision: number | undefined
  }

  function padded(text: string, { flags, width }: Style, isNumeric: boolean): string {
    if (flags.includes('-')) return text.padEnd(width)
    if (!isNumeric || !flags.includes('0')) return text.padStart(width)
    const [, sign = '', digits = ''] = /^([-+ ]?(?:0[xX])?)(.*)$/s.exec(text)!
    return sign + digits.padStart(width - sign.length, '0')
  }
  const signed = (text: string, { flags }: Style): string => {
    if (text.startsWith('-')) return text
    if (flags.includes('+')) return `+${text}`
    return flags.includes(' ') ? ` ${text}` : text
  }

  function integer(value: bigint, kind: string, style: Style): string {
    const isSigned = kind === 'd' || kind === 'i'
    const bits = isSigned ? value : BigInt.asUintN(64, value)
    const base = kind === 'o' ? 8 : kind.toLowerCase() === 'x' ? 16 : 10
    const raw = (bits < 0n ? -bits : bits).toString(base)
    const prefix = style.flags.includes('#') && base === 16 && bits !== 0n ? '0x' : ''
    const filled = raw === '0' && style.precision === 0 ? '' : raw.padStart(style.precision ?? 1, '0')
    const isOctal = base === 8 && style.flags.includes('#') && !filled.startsWith('0')
    const digits = prefix + (isOctal ? `0${filled}` : filled)
    const text = isSigned ? signed((bits < 0n ? '-' : '') + digits, style) : digits
    // A precision turns the filling with zeros off.
    const flags = style.precision === undefined ? style.flags : style.flags.replaceAll('0', '')
    const made = padded(text, { ...style, flags }, true)
    return kind === 'X' ? made.toUpperCase() : made
  }

  function float(value: number, kind: string, style: Style): string {
    const precision = style.precision ?? 6
    const sign = Object.is(value, -0) ? '-' : ''
    const point = style.flags.includes('#') && precision === 0 ? '.' : ''
    let text: string
    if (!Number.isFinite(value)) text = numbers.general(value, 1, false)
    else if (kind.toLowerCase() === 'f') text = sign + fixed(value, precision) + point
    else if (kind.toLowerCase() === 'e') {
      const [mantissa, power] = numbers.scientific(value, precision).split('e')
      text = `${sign}${mantissa}${point}e${power![0]}${power!.slice(1).padStart(2, '0')}`
    } else text = numbers.general(value, precision, style.flags.includes('#'))
    const made = padded(signed(text, style), style, Number.isFinite(value))
    return kind === kind.toUpperCase() ? made.toUpperCase() : made
  }
  /** toFixed changes to exponents at 1e21. */
  const fixed = (value: number, precision: number): string =>
    Math.abs(value) < 1e21
      ? numbers.fixed(value, precision)
      : BigInt(value).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '')

  function hexFloat(value: number, kind: string, style: Style): string {
    let [rest, power] = [Math.abs(value), 0]
    if (rest !== 0 && Number.isFinite(rest)) {
      power = Math.floor(Math.log2(rest))
      rest /= 2 ** power
      if (rest >= 2) [rest, power] = [rest / 2, power + 1]
      if (rest < 1) [rest, power] = [rest * 2, power - 1]
    }
    const digits = (rest % 1).toString(16).slice(2)
    const minus = value < 0 || Object.is(value, -0) ? '-' : ''
    const text = `${minus}0x${Math.floor(rest)}${digits === '' ? '' : `.${digits}`}p${power < 0 ? '-' : '+'}${Math.abs(power)}`
    const made = padded(
      Number.isFinite(value) ? signed(text, style) : numbers.general(value, 1, false),
      style,
      true,
    )
    return kind === 'A' ? made.toUpperCase() : made
  }

  function quoted(value: Value): string {
    if (typeof value === 'string') {
      const inside = value.replace(/["\\\n]|[\0\r\x01-\x1f\x7f](?=(\d?))/g, (sign, digit?: string) => {
        if (sign === '"' || sign === '\\' || sign === '\n') return `\\${sign}`
        const code = String(sign.charCodeAt(0))
        return `\\${digit ? code.padStart(3, '0') : code}`
      })
      return `"${inside}"`
    }
    if (typeof value === 'object' && value instanceof lua.Float) return hexFloat(value.whole, 'a', plain)
    if (typeof value === 'number' && !Number.isInteger(value)) {
      if (Number.isNaN(value)) return '(0/0)'
      return Number.isFinite(value) ? hexFloat(value, 'a', plain) : `${value < 0 ? '-' : ''}1e9999`
    }
    if (typeof value === 'function' || value instanceof lua.Table) {
      return lua.fail('value has no literal form')
    }
    return lua.toText(value)
  }
  const plain: Style = { flags: '', width: 0, precision: undefined }

  function character(args: readonly Value[], index: number): string {
    check.integer(args, index)
    return String.fromCharCode(Number(BigInt.asUintN(8, BigInt(numbers.whole(args[index - 1])!))))
  }

  function write(kind: string, args: readonly Value[], index: number, style: Style, whole: string): string {
    switch (kind) {
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        return integer(BigInt(numbers.whole(args[index - 1])!), kind, style)
      case 'c':
        return padded(character(args, index), style, false)
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return float(check.number(args, index), kind, style)
      case 'a':
      case 'A':
        return hexFloat(check.number(args, index), kind, style)
      case 's':
        return padded(lua.toText(check.any(args, index)).slice(0, style.precision), style, false)
      case 'q':
        if (whole !== '%q') return lua.fail(`specifier '%q' cannot have modifiers`)
        return quoted(check.any(args, index))
      default:
        return lua.fail(`invalid conversion '${whole}' to 'format'`)
    }
  }

  const string = lua.globals.get('string') as Table
  string.set('format', (...args: Value[]) => {
    let index = 1
    const text = check
      .text(args, 1)
      .replace(
        directive,
        (whole, flags: string, width: string, precision: string | undefined, kind: string) => {
          if (kind === '%' && whole === '%%') return '%'
          if (width.length > 2 || (precision ?? '').length > 2)
            return lua.fail(`invalid conversion '${whole}' to 'format'`)
          index += 1
          if (index > args.length && kind !== '') lua.badArgument(index, 'no value')
          if (kind !== '' && 'diouxX'.includes(kind)) check.integer(args, index)
          if (!isStyled(whole)) return lua.fail(`invalid conversion specification: '${whole}'`)
          const style = {
            flags,
            width: Number(width),
            precision: precision === undefined ? undefined : Number(precision),
          }
          return write(kind, args, index, style, whole)
        },
      )
    lua.charge(text.length)
    return [text]
  })
}
