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
    lines.push(line === 'too-long' ? 'TOO LONG' : Buffer.from(line).toString())
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

test('a line without an end is given as soon as it is too long, and never kept', async () => {
  const lines = linesOfBytes(
    (async function* () {
      for (let sent = 0; sent < 1_000; sent++) yield new Uint8Array(1_000).fill(97)
      yield Uint8Array.from([10, 98, 10])
    })(),
    1_500,
  )
  expect((await lines.next()).value).toBe('too-long')
  expect((await lines.next()).value).toEqual(Buffer.from('b'))
  expect((await lines.next()).done).toBe(true)
})
