import { CalculationError, checkSize, MAX_DIGITS, type Numeric } from './numbers.ts'

export type Token =
  | { readonly type: 'number'; readonly text: string; readonly value: Numeric }
  | { readonly type: 'name'; readonly text: string }
  | { readonly type: 'operator'; readonly text: string }

/** Python's real number literals, then names, then operators. */
const TOKEN =
  /\s+|(?<number>0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)|(?<name>[A-Za-z_]\w*)|(?<operator>\*\*|\/\/|[-+*/%(),])/y

/** Throws `CalculationError` at the first invalid character. */
export function tokenize(expression: string): readonly Token[] {
  const tokens: Token[] = []
  const scanner = new RegExp(TOKEN)
  while (scanner.lastIndex < expression.length) {
    const at = scanner.lastIndex
    const groups = scanner.exec(expression)?.groups
    if (!groups) throw unexpected(expression, at)
    const { number, name, operator } = groups
    if (number !== undefined) tokens.push({ type: 'number', text: number, value: readNumber(number) })
    else if (name !== undefined) tokens.push(afterNumber(tokens, expression, at, name))
    else if (operator !== undefined) tokens.push({ type: 'operator', text: operator })
  }
  return tokens
}

function afterNumber(tokens: readonly Token[], expression: string, at: number, text: string): Token {
  const glued = tokens.at(-1)?.type === 'number' && !/\s/.test(expression[at - 1] ?? '')
  if (glued)
    throw new CalculationError(`'${tokens.at(-1)?.text}${text}' is not a number; write * to multiply`)
  return { type: 'name', text }
}

function readNumber(text: string): Numeric {
  if (/__|_$|_\.|\._|_[eE]|[eE]_/.test(text)) throw new CalculationError(`'${text}' is not a number`)
  const digits = text.replaceAll('_', '')
  if (digits.length > MAX_DIGITS) throw new CalculationError(`numbers have at most ${MAX_DIGITS} digits`)
  if (/^0[xXoObB]/.test(digits) || /^\d+$/.test(digits)) return checkSize(readInteger(digits))
  return Number(digits)
}

function readInteger(digits: string): bigint {
  if (/^0+[1-9]/.test(digits))
    throw new CalculationError(`'${digits}' is not a number; leave out the zeros in front`)
  try {
    return BigInt(digits)
  } catch {
    throw new CalculationError(`'${digits}' is not a number`)
  }
}

function unexpected(expression: string, at: number): CalculationError {
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0)
  const advice = character === '^' ? '; write ** for powers' : ''
  return new CalculationError(`unexpected ${JSON.stringify(character)} at character ${at + 1}${advice}`)
}
