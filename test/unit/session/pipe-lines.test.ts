import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines } from '../../../src/session/input/line-queue.ts'
import { newAccount } from '../../support/shared-by-sessions.ts'

async function read(chunks: readonly Uint8Array[], lineUnits = 100) {
  const lines: string[] = []
  let tooLong = 0
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk)
  }
  await readLines({
    input: input(),
    account: newAccount(),
    lineUnits,
    onLine: (line) => Promise.resolve(void lines.push(line)),
    onTooLong: () => void tooLong++,
  })
  return { lines, tooLong }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('the lines are the same wherever the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.array(fc.nat(300)),
      async (texts, cuts) => {
        const all = bytes(texts.join('\n'))
        const at = [0, ...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length]
        const chunks = at.slice(1).map((end, i) => all.slice(at[i], end))
        const whole = texts
          .join('\n')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
        expect(await read(chunks, 1_000)).toEqual({
          lines: whole.filter((line) => line.trim() !== ''),
          tooLong: 0,
        })
      },
    ),
  )
})

test('a line of exactly the limit goes through, one more does not, with or without a carriage return', async () => {
  const [fits, long] = ['x'.repeat(100), 'y'.repeat(101)]
  expect(await read([bytes(`${fits}\n${long}\n${fits}\r\n${long}\r\nend`)])).toEqual({
    lines: [fits, fits, 'end'],
    tooLong: 2,
  })
})

test('an empty input and one of line ends only have no lines', async () => {
  expect(await read([])).toEqual({ lines: [], tooLong: 0 })
  expect(await read([bytes('\n\r\n \n')])).toEqual({ lines: [], tooLong: 0 })
})
