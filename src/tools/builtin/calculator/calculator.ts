import { z } from 'zod'
import { defineTool } from '../../define-tool.ts'
import {
  type Numeric,
  add,
  CalculationError,
  divide,
  floorDivide,
  modulo,
  multiply,
  negate,
  power,
  subtract,
} from './numbers.ts'
import { toDecimal } from './decimal.ts'
import { ok } from '../../results/result.ts'
import { call, CONSTANTS, FUNCTIONS } from './functions.ts'
import { tokenize, type Token } from './tokens.ts'

export const calculator = defineTool({
  id: 'calculator',
  title: 'Calculator',
  description:
    'Evaluates an expression of Python: operators, round, max and the usual of math. Integers are exact.',
  access: 'read',
  input: z.strictObject({
    expression: z.string().min(1).max(10_000).describe('Such as sqrt(2) / 3.'),
    precision: z.int().min(0).max(15).describe('Decimal places; default: 6.').default(6),
  }),
  run: async ({ expression, precision }) => ok(write(evaluate(expression), precision)),
})

/** Writes integers in full, and floats rounded without trailing zeros. */
function write(value: Numeric, precision: number): string {
  if (typeof value === 'bigint') return value.toString()
  if (!Number.isFinite(value)) return String(value)
  const decimal = toDecimal(value, precision)
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** Far below the stack's limit. */
const MAX_DEPTH = 500

/** Evaluates like Python (`-2**2` is -4, `2**3**2` 512, `-7//2` -4, `-7%3` 2). Throws `CalculationError`. */
export function evaluate(expression: string): Numeric {
  const reader = readTokens(tokenize(expression))
  if (reader.done()) throw new CalculationError('the expression is empty')
  const value = sum(reader)
  if (!reader.done()) throw reader.unexpected()
  return value
}

type Reader = ReturnType<typeof readTokens>

function readTokens(tokens: readonly Token[]) {
  let position = 0
  let depth = 0
  return {
    done: () => position >= tokens.length,
    next: () => tokens[position++],
    take(...operators: readonly string[]): string | undefined {
      const token = tokens[position]
      if (token?.type !== 'operator' || !operators.includes(token.text)) return undefined
      position++
      return token.text
    },
    unexpected(): CalculationError {
      const token = tokens[position]
      return new CalculationError(token ? `unexpected '${token.text}'` : 'the expression ends too soon')
    },
    nested<Value>(read: () => Value): Value {
      if (++depth > MAX_DEPTH) throw new CalculationError(`nested too deeply (at most ${MAX_DEPTH} levels)`)
      const value = read()
      depth--
      return value
    },
  }
}

function sum(reader: Reader): Numeric {
  let value = product(reader)
  for (let operator; (operator = reader.take('+', '-'));) {
    value = operator === '+' ? add(value, product(reader)) : subtract(value, product(reader))
  }
  return value
}

const PRODUCTS: ReadonlyMap<string | undefined, (a: Numeric, b: Numeric) => Numeric> = new Map([
  ['*', multiply],
  ['/', divide],
  ['//', floorDivide],
  ['%', modulo],
])

function product(reader: Reader): Numeric {
  let value = signed(reader)
  for (let combine; (combine = PRODUCTS.get(reader.take('*', '/', '//', '%')));) {
    value = combine(value, signed(reader))
  }
  return value
}

function signed(reader: Reader): Numeric {
  const sign = reader.take('+', '-')
  if (!sign) return raised(reader)
  const value = reader.nested(() => signed(reader))
  return sign === '-' ? negate(value) : value
}

function raised(reader: Reader): Numeric {
  const base = atom(reader)
  if (!reader.take('**')) return base
  const exponent = reader.nested(() => signed(reader))
  return power(base, exponent)
}

function atom(reader: Reader): Numeric {
  if (reader.take('(')) return reader.nested(() => parenthesized(reader))
  if (reader.take('+', '-', '*', '/', '//', '%', '**', ',', ')'))
    throw new CalculationError('an operand is missing')
  const token = reader.next()
  if (!token) throw reader.unexpected()
  if (token.type === 'number') return token.value
  if (!reader.take('(')) return constant(token.text)
  const args = reader.nested(() => callArguments(reader))
  return call(token.text, args)
}

function callArguments(reader: Reader): readonly Numeric[] {
  const args: Numeric[] = []
  while (!reader.take(')')) {
    args.push(sum(reader))
    if (reader.take(')')) break
    if (!reader.take(',')) throw reader.unexpected()
  }
  return args
}

function parenthesized(reader: Reader): Numeric {
  const value = sum(reader)
  if (!reader.take(')')) throw reader.done() ? new CalculationError("a ')' is missing") : reader.unexpected()
  return value
}

function constant(name: string): Numeric {
  const value = CONSTANTS.get(name)
  if (value !== undefined) return value
  if (FUNCTIONS.has(name)) throw new CalculationError(`${name} is a function: write ${name}(…)`)
  throw new CalculationError(`unknown name '${name}'; the constants are ${[...CONSTANTS.keys()].join(', ')}`)
}
