import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anySnapshot, composed } from '../../support/any-snapshot.ts'
import { sampleSnapshot } from '../../support/snapshot.ts'
import { createWorkbench, type Workbench } from '../../support/workbench.ts'
import { runs } from '../../support/runs.ts'

/** What wrap() promises of the text, for whatever room, tools, script and target; with the real Lua and the real tokenizer. */
let bench: Workbench
let other: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
  other = await createWorkbench()
})
afterAll(() => {
  bench.engine.close()
  other.engine.close()
})

const script = (layers: string): string => `function default_wrap(t) return wrap(t)${layers} end`

describe('whatever is in a snapshot', () => {
  test('the text stands in the order of the script, whatever its priorities', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const priorities = fc.array(fc.integer({ min: -5, max: 200 }), { minLength: 5, maxLength: 5 })
    fc.assert(
      fc.property(anySnapshot, priorities, (given, list) => {
        const layers = names.map(
          (name, index) => `:custom("${name}", "<${name}>", ${list[index]!}, ${index % 2 === 0})`,
        )
        const prompt = composed(() => bench.run(script(layers.join('')), given))
        if (typeof prompt === 'string') return
        expect(prompt.layers.map((one) => one.name)).toEqual(names)
        const kept = prompt.layers.filter((one) => one.status === 'kept').map((one) => `<${one.name}>`)
        for (const part of [prompt.system, prompt.context])
          expect(part.split('\n\n').filter((one) => one !== '')).toEqual(
            kept.filter((one) => part.includes(one)),
          )
      }),
      { numRuns: runs(120) },
    )
  })

  test('the same snapshot gives the same bytes, in another engine and after other prompts', () => {
    let before = sampleSnapshot()
    fc.assert(
      fc.property(anySnapshot, (given) => {
        const first = composed(() => bench.compose(given))
        composed(() => other.compose(before))
        expect(JSON.stringify(composed(() => other.compose(given)))).toBe(JSON.stringify(first))
        expect(JSON.stringify(composed(() => bench.compose(structuredClone(given))))).toBe(
          JSON.stringify(first),
        )
        before = given
      }),
      { numRuns: runs(80) },
    )
  })
})
