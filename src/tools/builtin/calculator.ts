import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { evaluate } from './calculator/evaluate.ts'
import type { Numeric } from './calculator/numbers.ts'
import { toDecimal } from './calculator/rounding.ts'
import { ok } from '../tool.ts'

/** Arithmetic with Python's rules. The language is so small that no expression can do harm. */
export const calculator = defineTool({
  id: 'calculator',
  title: 'Calculator',
  description:
    'Evaluates an arithmetic expression with Python rules and exact integers. Operators: + - * / // % ** and ' +
    'parentheses. Functions: abs, round, min, max, pow, sqrt, exp, log (natural, or log(x, base)), log10, log2, ' +
    'sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, degrees, radians, floor, ceil, trunc, factorial, ' +
    'gcd, hypot. Constants: pi, e, tau, inf, nan.',
  access: 'read',
  input: z.strictObject({
    expression: z.string().min(1).max(10_000),
    precision: z.int().min(0).max(15).default(6),
  }),
  parameters: {
    expression: 'What to evaluate, such as "2 * (3 + 4)" or "sqrt(2) / sin(pi / 3)".',
    precision: 'Decimal places of a result that is not whole, 0 to 15 (default 6).',
  },
  run: async ({ expression, precision }) => ok(write(evaluate(expression), precision)),
})

/** Integers in full; floats rounded, without trailing zeros. */
function write(value: Numeric, precision: number): string {
  if (typeof value === 'bigint') return value.toString()
  if (!Number.isFinite(value)) return String(value)
  const decimal = toDecimal(value, precision)
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}
