import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOfBytes } from '../../../../../src/adapters/mcp/server/byte-lines.ts'

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of [...cuts].map((one) => one % (bytes.length + 1)).toSorted((a, b) => a - b)) {
    yield bytes.subarray(from, cut)
    from = cut
  }
  yield bytes.subarray(from)
}

async function linesIn(text: string, cuts: readonly number[], maxBytes: number): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of linesOfBytes(chunksOf(Buffer.from(text), cuts), maxBytes))
    lines.push('id' in line ? 'TOO LONG' : Buffer.from(line).toString())
  return lines
}

test('an input has the same lines wherever it is cut', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r', '{'), maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }),
      async (input, cuts, max) => {
        const expected = input
          .split('\n')
          .filter((line) => line !== '' && line !== '\r')
          .map((line) => (Buffer.byteLength(line) > max ? 'TOO LONG' : line))
        expect(await linesIn(input, cuts, max)).toEqual(expected)
      },
    ),
  )
})

test('a line that is too long is given with the id of its request alone, which comes last', async () => {
  const lines = linesOfBytes(
    (async function* () {
      yield Buffer.from('{"jsonrpc":"2.0","method":"tools/call","params":{"id":1,"text":"')
      for (let sent = 0; sent < 100; sent++) yield new Uint8Array(100_000).fill(97)
      yield Buffer.from('"},"id":"seven"}\nb\n')
    })(),
    1_500,
  )
  expect((await lines.next()).value).toEqual({ id: 'seven' })
  expect((await lines.next()).value).toEqual(Buffer.from('b'))
  expect((await lines.next()).done).toBe(true)
})

test('one that the end of the input cuts is given, too', async () => {
  expect(await linesIn('0123456789', [], 5)).toEqual(['TOO LONG'])
})
