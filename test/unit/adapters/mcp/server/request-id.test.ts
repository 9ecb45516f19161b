import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIdFinder, type RequestId } from '../../../../../src/adapters/mcp/server/request-id.ts'
import { anyCharacter } from '../../../../support/any-character.ts'

function idIn(text: string, cuts: readonly number[] = []): RequestId {
  const bytes = Buffer.from(text)
  const finder = createIdFinder()
  let from = 0
  for (const cut of [...cuts].map((one) => one % (bytes.length + 1)).toSorted((a, b) => a - b)) {
    finder.take(bytes.subarray(from, cut))
    from = cut
  }
  finder.take(bytes.subarray(from))
  return finder.id()
}

const id = fc.oneof(
  fc.string({ maxLength: 40, unit: anyCharacter }),
  fc.integer(),
  fc.double({ noNaN: true }),
)

describe('the id of a request', () => {
  test('is found wherever it stands, whatever else is in it, and wherever it is cut', () => {
    fc.assert(
      fc.property(
        id.filter((one) => Number.isFinite(one) || typeof one === 'string'),
        fc.jsonValue(),
        fc.nat(2),
        fc.array(fc.nat(), { maxLength: 8 }),
        (given, params, place, cuts) => {
          const members = [
            ['jsonrpc', '2.0'],
            ['method', 'tools/call'],
            ['params', { id: 'inside', params }],
          ] as const
          const message = Object.fromEntries([
            ...members.slice(0, place),
            ['id', given],
            ...members.slice(place),
          ])
          const text = JSON.stringify(message, undefined, place)
          expect(idIn(text, cuts)).toEqual((JSON.parse(text) as { id: unknown }).id)
        },
      ),
    )
  })

  test('is the last of several, as for who reads all of it', () => {
    expect(idIn('{"id":1,"method":"m","id":2}')).toBe(2)
  })

  test.each([
    ['an answer', '{"jsonrpc":"2.0","id":1,"result":{"method":"m"}}'],
    ['a notification', '{"jsonrpc":"2.0","method":"m","params":{"id":1}}'],
    ['a batch', '[{"id":1,"method":"m"}]'],
    ['an id that is no id', '{"id":{"id":1},"method":"m"}'],
    ['an id that is longer than an error repeats', `{"id":"${'x'.repeat(3_000)}","method":"m"}`],
    ['a text', `"{\\"id\\":1,\\"method\\":\\"m\\"}"`],
    ['brackets alone', '}}}]]{[{'],
    ['nothing', ''],
  ])('is none in %s', (_what, text) => {
    expect(idIn(text)).toBeNull()
  })

  test('is found after bytes that are no text, and after a great depth', () => {
    const finder = createIdFinder()
    finder.take(Buffer.from('{"method":"m","params":'))
    finder.take(new Uint8Array(100_000).fill(91))
    finder.take(new Uint8Array(100_000).fill(93))
    finder.take(Uint8Array.from([44, 34, 0xff, 0xc3, 34, 58, 49]))
    finder.take(Buffer.from(',"id":7}'))
    expect(finder.id()).toBe(7)
  })
})
