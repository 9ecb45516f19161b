import fc, { type Arbitrary } from 'fast-check'

const numbers = fc.constantFrom(
  ...'0 1 -1 2 3 -7 10 255 1.5 -0.25 2.0 -3.0 1e15 1e16 0.1 1e308 -0.0 9007199254740991 9007199254740993 -9007199254740992 4611686018427387904 9223372036854775807 math.mininteger math.huge -math.huge 0x7fffffff 0xffffffffffffffff 2^53 2^63 123456789012'.split(
    ' ',
  ),
)
const values = fc.oneof(
  { weight: 12, arbitrary: numbers },
  fc.constantFrom('"7"', '"0x10"', '"1.5"', '"abc"', 'nil', 'true', '{}'),
)
const operators = fc.constantFrom(...'+ - * / // % & | ~ << >> .. == ~= < <= > >= and or'.split(' '))
const functions = fc.constantFrom(
  ...'math.floor,math.ceil,math.abs,math.tointeger,math.type,tostring,tonumber,-,~,not ,#'.split(','),
)

/** Sums, bits, comparisons and rounding of numbers on the edges, and of what is no number. */
export const expressions: Arbitrary<string> = fc
  .letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      values,
      fc.tuple(tie('node'), operators, tie('node')).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(functions, tie('node')).map(([f, a]) => `${f}(${a})`),
    ),
  }))
  .node.map((text) => `return ${text}`)

const pieces = fc.constantFrom(
  ...'a,b,.,%a,%d,%s,%w,%p,[ab],[^a],[a-c],[%d_],%.,%%,(),(a),(.),(%w*),%b(),%f[%w],%1,-,x, ,$,^,[]],[^]],(,),%,[,é'.split(
    ',',
  ),
)
const repeats = fc.constantFrom('', '', '', '*', '+', '-', '?')
const patterns = fc
  .tuple(
    fc.constantFrom('', '', '', '^'),
    fc.array(fc.tuple(pieces, repeats), { maxLength: 5 }),
    fc.constantFrom('', '', '$'),
  )
  .map(([start, parts, end]) => start + parts.flat().join('') + end)
const subjects = fc
  .array(fc.constantFrom('a', 'b', 'c', 'x', '1', '9', ' ', '_', '.', '(', ')', '%', 'é', '\n'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))
const replacements = fc.constantFrom(
  ...['"<%0>"', '"%1"', '"%%"', '{a = "A", x = 1}', 'function(s) return s and #s end', '"-"'],
)

/** Searches with patterns, sound and malformed. */
export const patternCalls: Arbitrary<string> = fc
  .tuple(subjects, patterns, replacements, fc.integer({ min: -3, max: 14 }))
  .map(([subject, pattern, by, init]) => {
    const [s, p] = [JSON.stringify(subject), `[==[${pattern}]==]`]
    return `local s, p = ${s}, ${p} return s:find(p, ${init}), s:match(p, ${init}), s:gsub(p, ${by})`
  })

const formats = fc
  .tuple(
    fc.constantFrom('', '-', '+', ' ', '0', '#', '-+', '+0'),
    fc.constantFrom('', '1', '8', '12'),
    fc.constantFrom('', '.0', '.1', '.3', '.10'),
    fc.constantFrom('d', 'i', 'x', 'X', 'o', 'e', 'E', 'f', 'g', 'G', 's', 'c'),
  )
  .map((parts) => `%${parts.join('')}`)

/** string.format with all its styles. */
export const formatCalls: Arbitrary<string> = fc
  .tuple(
    formats,
    fc.oneof(numbers, fc.constantFrom('"text"', '65', '3.14159', '-2.5', '1e21', '1e-7', '100')),
  )
  .map(([format, value]) => `return string.format("[${format}]", ${value})`)
