import { expect, test } from 'vitest'
import { listLua, readBundle } from '../../../../../src/adapters/lua/bundle.ts'
import { openEngine } from '../../../../../src/adapters/lua/engines.ts'
import { paths } from '../../../../../src/app/paths.ts'
import type { JsonObject } from '../../../../../src/lib/json.ts'

const TIME_MS = 400
const script = `function default_wrap()
  print("once")
  local first, second = tools.conversation(1), tools.conversation(2)
  return wrap():custom("one", first):custom("two", second)
end`

/** Waits without using the processor, as a process does that gets none of it. */
const stall = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * TIME_MS)
}

test('a run that got no processor time begins again: nothing is done twice, and each text stands in its place', async () => {
  const bundle = await readBundle(listLua(paths.lua))
  const engine = await openEngine('lua-in-js', bundle, { timeMs: TIME_MS, memoryBytes: 64 * 1024 * 1024 })
  const printed: unknown[] = []
  let conversations = 0
  const draft = engine.run({
    script,
    data: { target: 100, values: {}, history: [], room: {} },
    maxOutput: 100_000,
    host(name, argument) {
      if (name === 'print') printed.push(argument)
      if (name !== 'conversation') return null
      conversations += 1
      if (conversations === 2) stall()
      return `text ${JSON.stringify(argument)}`.padEnd(5000, '.')
    },
  }) as JsonObject
  engine.close()
  const texts = (draft['layers'] as readonly { readonly text: string }[]).map((layer) => layer.text)
  expect(texts).toEqual([expect.stringContaining('"limit":1'), expect.stringContaining('"limit":2')])
  expect(printed).toEqual(['once'])
})
