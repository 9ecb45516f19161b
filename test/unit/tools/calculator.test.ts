import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { calculator } from '../../../src/tools/builtin/calculator/calculator.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { anyCharacter } from '../../support/any-character.ts'

/** The calculator reads nothing from its context. */
const nothing = {} as ToolContext

async function calculate(expression: string, precision?: number): Promise<string> {
  const result = await calculator.run(
    { expression, ...(precision === undefined ? {} : { precision }) },
    nothing,
  )
  expect(result.isError).toBe(result.content.startsWith('ERROR:'))
  return result.content
}

/** Answers of Python 3, written down with its interpreter. */
const answers: readonly (readonly [string, string])[] = [
  ['2 * (3 + 4)', '14'],
  ['-2**2', '-4'],
  ['2**-1', '0.5'],
  ['2**3**2', '512'],
  ['(-8)**3', '-512'],
  ['--3', '3'],
  ['2*-3', '-6'],
  ['7/2', '3.5'],
  ['4/2', '2'],
  ['-7//2', '-4'],
  ['7//-2', '-4'],
  ['-7%3', '2'],
  ['7%-3', '-2'],
  ['5.5//2', '2'],
  ['-5.5%2', '0.5'],
  ['-1//inf', '-1'],
  ['1//0.1', '9'],
  ['2**100', '1267650600228229401496703205376'],
  ['10**20 + 1', '100000000000000000001'],
  ['0.1 + 0.2', '0.3'],
  ['1/3', '0.333333'],
  ['round(2.5)', '2'],
  ['round(3.5)', '4'],
  ['round(2.675, 2)', '2.67'],
  ['round(1250, -2)', '1200'],
  ['floor(-1.5)', '-2'],
  ['ceil(-1.5)', '-1'],
  ['trunc(-1.5)', '-1'],
  ['factorial(20)', '2432902008176640000'],
  ['gcd(12, 18)', '6'],
  ['log(100, 10)', '2'],
  ['log2(8)', '3'],
  ['log10(1000)', '3'],
  ['log(10**400)', '921.034037'],
  ['hypot(3, 4)', '5'],
  ['atan2(1, 1)', '0.785398'],
  ['degrees(pi)', '180'],
  ['sin(pi/2)', '1'],
  ['min(3, 1, 2)', '1'],
  ['max(1.5, 2,)', '2'],
  ['pow(2, 10)', '1024'],
  ['abs(-3.5)', '3.5'],
  ['1_000 + 0x10 + 0b11 + 0o7', '1026'],
  ['.5 + 5.', '5.5'],
  ['1e3', '1000'],
  ['tau / pi', '2'],
  ['inf', 'Infinity'],
  ['-inf', '-Infinity'],
  ['inf - inf', 'NaN'],
  ['0**0', '1'],
]

/** What cannot be worked out, and a word of the reason that is given. */
const refusals: readonly (readonly [string, RegExp])[] = [
  ['9**9**9', /too large/],
  ['factorial(100000)', /too large/],
  ['10**5000', /too large/],
  ['1.5**10000', /too large/],
  ['exp(1000)', /too large/],
  ['constructor', /unknown name 'constructor'/],
  ['__proto__', /unknown name '__proto__'/],
  ['process', /unknown name 'process'/],
  ['process.exit()', /unexpected "\."/],
  ['constructor("x")', /unexpected "\\""/],
  ['toString()', /unknown function 'toString'/],
  ['1/0', /division by zero/],
  ['1//0', /division by zero/],
  ['1%0.0', /division by zero/],
  ['0**-1', /negative power/],
  ['(-8)**(1/3)', /not a real number/],
  ['sqrt(-1)', /not a real number/],
  ['asin(2)', /not a real number/],
  ['log(0)', /above 0/],
  ['factorial(2.5)', /integers/],
  ['factorial(-1)', /negative/],
  ['2 ^ 3', /\*\* for powers/],
  ['2 +', /ends too soon/],
  ['(1', /'\)' is missing/],
  ['1)', /unexpected '\)'/],
  ['2 3', /unexpected '3'/],
  ['2pi', /write \* to multiply/],
  ['007', /zeros in front/],
  ['1__0', /not a number/],
  ['0x', /not a number/],
  ['2 ÷ 3', /unexpected "÷"/],
  ['sin', /write sin\(…\)/],
  ['sin(1, 2)', /1 argument, got 2/],
  ['min(1)', /at least 2 arguments/],
  ['* 3', /operand is missing/],
  [' ', /empty/],
  ['round(nan)', /integer/],
  [`${'('.repeat(600)}1${')'.repeat(600)}`, /nested too deeply/],
  [`${'-'.repeat(9000)}1`, /nested too deeply/],
  ['2**'.repeat(3000) + '2', /nested too deeply/],
]

it.each(answers)('the calculator gives %s the same result as Python', async (expression, answer) => {
  expect(await calculate(expression)).toBe(answer)
})

it.each(refusals)('the calculator gives the reason why it refuses %s', async (expression, reason) => {
  const answer = await calculate(expression)
  expect(answer).toMatch(/^ERROR: calculator: /)
  expect(answer).toMatch(reason)
})

it('the calculator accepts three hundred nested parentheses', async () => {
  expect(await calculate(`${'('.repeat(300)}1${')'.repeat(300)}`)).toBe('1')
})

it('the calculator rounds to the given precision and keeps the zeros of a whole number', async () => {
  expect(await calculate('100', 0)).toBe('100')
  expect(await calculate('100.0', 0)).toBe('100')
  expect(await calculate('0.5', 0)).toBe('0')
  expect(await calculate('2/3', 15)).toBe('0.666666666666667')
  expect(await calculate('1e22 + 0.5', 2)).toBe('10000000000000000000000')
})

it('the calculator refuses an invalid precision with the allowed range', async () => {
  expect(await calculate('1', 16)).toBe('ERROR: calculator: precision must be between 0 and 15, got 16')
  expect(await calculate('1', -1)).toBe('ERROR: calculator: precision must be between 0 and 15, got -1')
  expect(await calculate('1', 1.5)).toBe('ERROR: calculator: precision must be an integer, got 1.5')
})

it.each([
  [undefined, 'ERROR: calculator: expression is required (a string)'],
  [{}, 'ERROR: calculator: expression is required (a string)'],
  [[], 'ERROR: calculator: arguments must be an object, got []'],
  [{ expression: 7 }, 'ERROR: calculator: expression must be a string, got 7'],
  [{ expression: '' }, 'ERROR: calculator: expression must be at least 1 characters long, got ""'],
  [
    { expression: '1', digits: 3 },
    `ERROR: calculator: unknown parameter "digits"; it takes 'expression', 'precision'`,
  ],
])('the calculator refuses the arguments %j with a hint', async (args, message) => {
  expect((await calculator.run(args, nothing)).content).toBe(message)
})

it('the calculator agrees with exact integer arithmetic', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.bigInt({ min: 1n, max: 10n ** 15n }),
      async (a, b) => {
        const quotient = BigInt(await calculate(`${a} // ${b}`))
        const remainder = BigInt(await calculate(`${a} % ${b}`))
        expect(quotient * b + remainder).toBe(a)
        expect(remainder >= 0n && remainder < b).toBe(true)
      },
    ),
  )
})

it('the calculator answers any text with one line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 }), async (text) => {
      expect(await calculate(text)).not.toContain('\n')
    }),
  )
})
