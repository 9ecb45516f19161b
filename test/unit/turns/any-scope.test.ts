import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spawnAgent } from '../../../src/tools/builtin/side-turns.ts'
import { resolveScope } from '../../../src/wrap/scope/scope.ts'
import { modelScopeKey } from '../../../src/wrap/scope/index.ts'
import { createCatalogue } from '../../../src/wrap/toolbox/catalogue.ts'
import { ModelError, type ModelRequest } from '../../../src/wrap/loop/model.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { routineRun } from '../../support/routine-run.ts'
import { runs } from '../../support/runs.ts'
import { call, fail, say, scriptedModel, type ScriptedStep } from '../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../support/turn-world.ts'

const working = ['look', 'Grep', 'Glob', 'touch', 'run_command']
const ids = [...working, 'spawn_agent']

/** The tools, which tell what ran. */
function createTools(ran: Set<string>) {
  const recorded = (id: string) =>
    tool(
      id,
      () => {
        ran.add(id)
        return { content: 'done', isError: false }
      },
      { access: id === 'touch' ? 'write' : id === 'run_command' ? 'execute' : 'read' },
    )
  return [...working.map(recorded), spawnAgent]
}

const catalogue = createCatalogue({
  sources: [{ group: 'builtin', name: 'builtin', tools: () => toolList }],
  ...{ disabled: [], log: memoryLog() },
})
const toolList = createTools(new Set())

const visible = (scope: unknown): readonly string[] =>
  resolveScope(scope, catalogue().tools).visible.map(({ id }) => id)

/** Most patterns leave something, so that a model often has tools. */
const word = fc.constantFrom(...ids, '*', 'G*', 'builtin', '!touch', '!G*', '!run*', '!look', 'nobody')
const patterns = fc.array(word, { minLength: 1, maxLength: 4 })
const scope = fc.oneof(patterns, fc.constantFrom('all', ['all']))
const taken = fc.option(fc.oneof(patterns, fc.constant([])), { nil: null })

const isSide = ({ prompt }: ModelRequest): boolean => prompt.message.includes('This is a side turn')
const namesIn = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name).toSorted()

/** Calls every tool there is, offered or not, and a side turn that does the same; then answers. */
const triesAll = (sideScope: readonly string[] | null): ScriptedStep =>
  function* (request, signal) {
    const spawn = ['spawn_agent', { prompt: 'go', ...(sideScope && { tools: sideScope }) }] as const
    const all = working.map((id) => [id, {}] as const)
    const step = request.messages.length > 0 ? say('done') : call(...all, spawn)
    yield* step(request, signal) as Iterable<never>
  }

test('no turn of a persona, routine, fallback or side turn runs a tool that a scope excludes', async () => {
  const layers = fc.record({
    ...{ room: scope, model: scope, here: scope, fallback: scope, fallbackHere: scope },
    ...{ persona: taken, routine: taken, side: taken, falls: fc.boolean() },
  })
  await fc.assert(
    fc.asyncProperty(layers, async (of) => {
      const ran = new Set<string>()
      const steps = Array.from({ length: 6 }, () => triesAll(of.side))
      const works = scriptedModel(...steps)
      const broken = scriptedModel(fail(new ModelError('qwen: down', false)))
      await using world = await createTurnWorld(of.falls ? broken : works, {
        tools: createTools(ran),
        permissions: { request: async () => 'allow' },
        limits: { turn_depth: 1 },
        settings: { tools: of.model, fallback: 'small' },
        more: [
          { settings: sampleConfig({ name: 'small', backend: 'guide', tools: of.fallback }), adapter: works },
        ],
      })
      const { rooms } = world.chatParts.storage.chat
      await world.setScope(of.room)
      await rooms.setValue(world.room.name, modelScopeKey('qwen'), of.here)
      await rooms.setValue(world.room.name, modelScopeKey('small'), of.fallbackHere)
      await world.turns.personas.put({
        ...{ room: world.room.name, name: 'critic', model: 'qwen', text: 'be strict' },
        ...{ tools: of.persona, author: 'ann', at: 1 },
      })
      const message = await world.room.record({ kind: 'message', author: 'ann', text: '@critic go' })
      const routine = routineRun({ scope: of.routine })
      const asked = { room: world.room, requester: world.ann, model: 'critic', message, routine }
      expect(await (await world.turns.start(asked)).done).toMatchObject({ kind: 'reply', persona: 'critic' })

      const scopes = [of.room, of.here, of.persona ?? 'all', of.routine ?? 'all']
      const own = of.falls ? [of.fallback, of.fallbackHere] : [of.model]
      const within = (more: readonly unknown[]) =>
        ids.filter((id) => [...scopes, ...own, ...more].every((one) => visible(one).includes(id))).toSorted()
      const parents = works.requests.filter((one) => !isSide(one))
      for (const request of parents) expect(namesIn(request)).toEqual(within([]))
      const sides = works.requests.filter(isSide)
      const below = within([of.side ?? 'all']).filter((id) => id !== 'spawn_agent')
      for (const request of sides) expect(namesIn(request)).toEqual(below)
      expect(sides.length > 0).toBe(within([]).includes('spawn_agent'))
      expect([...ran].toSorted()).toEqual(within([]).filter((id) => id !== 'spawn_agent'))
    }),
    { numRuns: runs(150) },
  )
})
