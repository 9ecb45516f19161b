import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ComposerOptions } from '../../../../../src/adapters/lua/pool.ts'
import type { Composer } from '../../../../../src/prompt/ports.ts'
import type { Snapshot } from '../../../../../src/prompt/snapshot.ts'
import { inRoom, openPool } from '../../../../support/pool.ts'

const open = (engine: ComposerOptions['engine']): Composer =>
  openPool({ engine, size: 1, limits: { cpuMs: 20_000, wallMs: 50_000 } })

const withScript = (source?: string): Snapshot => inRoom('lobby', source)

let composer: Composer
beforeAll(() => {
  composer = open('lua-in-js')
})
afterAll(() => composer[Symbol.asyncDispose]())

test('a wrap process without rights composes with lua-in-js what one with wasmoon composes', async () => {
  await using other = open('wasmoon')
  expect(await composer.compose(withScript())).toEqual(await other.compose(withScript()))
})

test.each([
  ['an endless loop', 'while true do end'],
  ['one that catches errors', 'while true do pcall(function() while true do end end) end'],
  ['an endless pattern', '("a"):rep(2e5):find(".-.-.-b")'],
  ['one in a comparison', 'table.sort({3, 2, 1}, function() while true do end end)'],
])('%s ends its own composition, by the clock of the engine, and no other', async (_what, script) => {
  await expect(composer.compose(withScript(script))).rejects.toMatchObject({
    reason: 'limit',
    message: 'script: it runs longer than 250 ms',
  })
  expect((await composer.compose(withScript())).budget.used).toBeGreaterThan(300)
})

test('a mistake in a script has its line', async () => {
  await expect(composer.check('\n\nlocal t = nil\nprint(t.x)', withScript())).rejects.toMatchObject({
    reason: 'script',
    message: 'script:4: attempt to index a nil value',
  })
})
