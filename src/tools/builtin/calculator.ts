import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { evaluate } from './calculator/evaluate.ts'
import type { Numeric } from './calculator/numbers.ts'
import { toDecimal } from './calculator/rounding.ts'
import { ok } from '../result.ts'

/** Arithmetic with Python's rules. The language is so small that no expression can do harm. */
export const calculator = defineTool({
  id: 'calculator',
  title: 'Calculator',
  description:
    'Evaluates an expression of Python: operators, round, max and the usual of math. Integers are exact.',
  access: 'read',
  input: z.strictObject({
    expression: z.string().min(1).max(10_000),
    precision: z.int().min(0).max(15).default(6),
  }),
  parameters: {
    expression: 'Such as sqrt(2) / 3.',
    precision: 'Decimal places; default: 6.',
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
