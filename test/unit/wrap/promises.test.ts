import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Json } from '../../../src/base/json.ts'
import { effectiveScope } from '../../../src/wrap/scope/scope.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import { createCatalogue } from '../../../src/wrap/toolbox/catalogue.ts'
import { createOffer, createOfferState } from '../../../src/wrap/toolbox/offer.ts'
import type { ScopedTools } from '../../../src/turns/scoped-tools.ts'
import { anySnapshot, composed, recount } from '../../support/any-snapshot.ts'
import { sampleSnapshot, snapshotFor } from '../../support/snapshot.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { tool } from '../../support/turn-world.ts'
import { createWorkbench } from '../../support/workbench.ts'
import { runs } from '../../support/runs.ts'

const [bench, other] = [await createWorkbench(), await createWorkbench()]
afterAll(() => {
  bench.engine.close()
  other.engine.close()
})

const script = (layers: string): string => `function default_wrap(t) return wrap(t)${layers} end`
const custom = (name: string, priority: number, rest = ''): string =>
  `:custom("${name}", tools.look().topic, ${priority}${rest})`

test('any prompt stays within its target, and its reported tokens are the sent tokens', () => {
  fc.assert(
    fc.property(anySnapshot, (given) => {
      const prompt = composed(() => bench.compose(given))
      if (typeof prompt === 'string') return
      expect(prompt.budget.used).toBe(recount(prompt, bench.counter))
      expect(prompt.budget.used).toBeLessThanOrEqual(prompt.budget.target)
      const layer = prompt.layers.find((one) => one.name === 'tools')
      expect(layer?.tokens ?? 0).toBeLessThanOrEqual(Math.floor(prompt.budget.target * given.toolsShare))
    }),
    { numRuns: runs(200) },
  )
})

// A layer before the persona (required, 5) may take its space, which changes the refusal.
test('any layer keeps its tokens if layers of lower priority, such as tools, are added', () => {
  const high = [
    custom('a', 1),
    custom('b', 2, ', true, {trim = "head"}'),
    custom('c', 3, ', false, {trim = "tail"}'),
  ]
  const reports = (given: Snapshot, layers: readonly string[]) => {
    const prompt = composed(() => bench.run(script(layers.join('')), given))
    return typeof prompt === 'string'
      ? prompt
      : prompt.layers.filter((one) => ['a', 'b', 'c'].includes(one.name))
  }
  fc.assert(
    fc.property(anySnapshot, fc.nat(3), (given, place) => {
      const low = [':history()', ':tools()', custom('d', 6, ', true, {trim = "head"}')]
      const all = [...high.slice(0, place), ...low, ...high.slice(place)]
      expect(reports(given, all)).toEqual(reports(given, high))
    }),
    { numRuns: runs(125) },
  )
})

const noSearch = { space: () => 0, found: () => undefined, weigh: async () => [] }

const ids = ['sshawl_look', 'look', 'sshawl_who', 'Grep', 'read_file', 'holler_sample', 'holler_look']
const log = memoryLog()
const all = createCatalogue({
  sources: [{ group: 'builtin', name: 'builtin', tools: () => toolList }],
  disabled: [],
  log,
})
const toolList = ids.map((id) => tool(id))
const pattern = fc.constantFrom(...'* !look look *look holler_* !* Grep builtin !holler_* x'.split(' '))
const scope = fc.oneof(fc.array(pattern, { maxLength: 4 }), fc.constantFrom('all', 'none', null, 5, [], [5]))

test('the same tools are listed, sent and callable for any scope', () => {
  fc.assert(
    fc.property(scope, scope, scope, fc.integer({ min: 900, max: 3000 }), (room, model, later, target) => {
      const toolsOf = (value: unknown): ScopedTools => ({
        ...effectiveScope(all().tools, { room: value, model, role: 'member' }),
        catalogue: all(),
        mayLookAt: true,
        scope: null,
        role: 'member',
      })
      const now = toolsOf(room)
      const values: { readonly [key: string]: Json } = room === null ? {} : { tool_scope: room }
      const given = snapshotFor(target, {
        tools: now.visible,
        room: { ...sampleSnapshot().room, values },
      })
      const prompt = bench.compose(given)
      const shown = now.visible.map((one) => one.name)
      const sent = prompt.tools.filter((one) => one.id !== 'find_tools')
      if (sent.length > 0 || shown.length === 0) expect(sent.map((one) => one.name)).toEqual(shown)
      const listed = [...prompt.system.matchAll(/^- \*\*(.+?)\*\*/gm)].map((match) => match[1])
      if (prompt.layers.some((one) => one.name === 'tools' && one.status === 'kept'))
        expect(listed).toEqual(shown)
      const offer = createOffer(prompt, now, { ...noSearch, offered: createOfferState() })
      const afterwards = toolsOf(later)
      for (const one of all().tools) {
        const isSent = sent.some(({ id, definition }) => id === one.id && definition)
        expect(offer.resolve(one.name, now)?.id).toBe(isSent ? one.id : undefined)
        const stays = isSent && afterwards.visible.some(({ id }) => id === one.id)
        expect(offer.resolve(one.name, afterwards)?.id).toBe(stays ? one.id : undefined)
      }
    }),
    { numRuns: runs(150) },
  )
})

test('the text of any prompt has the layer order of the script, whatever the priorities', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const priorities = fc.array(fc.integer({ min: -5, max: 200 }), { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(anySnapshot, priorities, (given, list) => {
      const layers = names.map(
        (name, index) => `:custom("${name}", "<${name}>", ${list[index]!}, ${index % 2 === 0})`,
      )
      const prompt = composed(() => bench.run(script(layers.join('')), given))
      if (typeof prompt === 'string') return
      const all = [
        ...names,
        ...(given.persona ? ['persona'] : []),
        ...(given.memoryOfAsker ? ['memory_of_asker'] : []),
      ]
      expect(prompt.layers.map((one) => one.name)).toEqual(all)
      const [system = ''] = prompt.system.split(/(?:^|\n\n)## Who you are here\n/)
      const [context = ''] = prompt.context.split(/(?:^|\n\n)## What \S+ asked you to know/)
      const kept = prompt.layers.filter((one) => one.status === 'kept').map((one) => `<${one.name}>`)
      for (const part of [system, context])
        expect(part.split('\n\n').filter((one) => one !== '')).toEqual(
          kept.filter((one) => part.includes(one)),
        )
    }),
    { numRuns: runs(120) },
  )
})

test('the same snapshot gives the same prompt in another engine and after other prompts', () => {
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
