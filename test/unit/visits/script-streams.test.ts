import { expect, test } from 'vitest'
import { scriptInput } from '../../../src/visits/script-streams.ts'
import type { ExecPipe } from '../../../src/terminal/ports.ts'
import { pause } from '../../../src/server/process-timers.ts'

/** A pipe on which these come, and which then ends, or stays as it is. */
function pipeOf(chunks: readonly Uint8Array[], { ends }: { readonly ends: boolean }): ExecPipe {
  async function* stdin() {
    yield* chunks
    if (!ends) await new Promise(() => {})
  }
  return {
    stdin: stdin(),
    draining: new AbortController().signal,
    signal: new AbortController().signal,
    env: {},
    out: async () => {},
    err: async () => {},
  }
}

const bytes = (count: number): Uint8Array => new Uint8Array(count).fill(0x61)
const limits = { bytes: 10_000, stallMs: 20 }

test('piped input is read until its end', async () => {
  const chunks = [Uint8Array.of(0xc3), Uint8Array.of(0xa4), bytes(3)]
  expect(await scriptInput(pipeOf(chunks, { ends: true }), limits, 'until-end')).toBe('äaaa')
  expect(await scriptInput(pipeOf([], { ends: true }), limits, 'if-ready')).toBe('')
})

test.each([[[]], [[bytes(5)]], [[bytes(2_000), bytes(2_000)]]])(
  'piped input that neither continues nor ends is refused after any first chunks: %j',
  async (chunks) => {
    await expect(scriptInput(pipeOf(chunks, { ends: false }), limits, 'until-end')).rejects.toThrow(
      'standard input has not ended, and almost nothing came on it for 20ms; nothing was done',
    )
  },
)

test('piped input over the size limit is refused before it ends', async () => {
  const pipe = pipeOf([bytes(6_000), bytes(6_000)], { ends: false })
  await expect(scriptInput(pipe, limits, 'until-end')).rejects.toThrow('longer than 10000 bytes')
})

test.each([
  ['too long', [bytes(6_000), bytes(6_000)], 'until-end'],
  ['not there', [], 'if-ready'],
] as const)('piped input that is %s leaves no timer running', async (_, chunks, wait) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const pipe = pipeOf(chunks, { ends: false })
  await scriptInput(pipe, { ...limits, stallMs: 60_000 }, wait).catch(() => undefined)
  expect(timers()).toBeLessThanOrEqual(before)
})

test('a pause ends by itself and immediately on abort', async () => {
  const gone = new AbortController()
  await pause(1, gone.signal)
  const waiting = pause(2 ** 30, gone.signal)
  gone.abort(new Error('the channel was closed'))
  await expect(waiting).resolves.toBeUndefined()
  await expect(pause(2 ** 30, gone.signal)).resolves.toBeUndefined()
})
