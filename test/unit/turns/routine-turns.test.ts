import { expect, it } from 'vitest'
import type { RoutineRun } from '../../../src/turns/routines/run.ts'
import { roomTools } from '../../../src/turns/room-tools/index.ts'
import { fork, spawnAgent } from '../../../src/tools/builtin/side-turns.ts'
import type { Person } from '../../../src/words/person.ts'
import { ModelError } from '../../../src/wrap/loop/model.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { routineRun } from '../../support/routine-run.ts'
import { call, fail, say, scriptedModel, type ScriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'

/** Settings of a model that uses tokens. */
const PAID = { backend: 'openai' } as const

async function run(world: TurnWorld, routine: RoutineRun, by: Person = world.ann) {
  const line = {
    kind: 'message',
    author: by.name,
    by: by.id,
    text: '@qwen go',
    routine: routine.number,
  } as const
  const message = await world.room.record(line)
  const turn = await world.turns.start({ room: world.room, requester: by, model: 'qwen', message, routine })
  const last = await turn.done
  // Follow-ups start after the reply is recorded.
  while (world.turns.countHere() > 0) await Promise.all(world.turns.running().map((one) => one.ended()))
  return last
}

const toolNames = ({ requests }: ScriptedModel) => requests.map((one) => one.tools.map(({ name }) => name))

it("a routine's scope only removes tools from its turns, chains, fallbacks and side turns", async () => {
  const small = scriptedModel(say('@llama go on'))
  const llama = scriptedModel(say('done'))
  const down = new ModelError('qwen: down', false)
  const model = scriptedModel(call(['spawn_agent', { prompt: 'look' }]), say('seen'), say('ok'), fail(down))
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent, fork, tool('Grep'), tool('Glob'), tool('Read')],
    settings: { ...PAID, fallback: 'small' },
    more: [
      { settings: sampleConfig({ name: 'small', backend: 'guide' }), adapter: small },
      { settings: sampleConfig({ name: 'llama', backend: 'guide' }), adapter: llama },
    ],
  })
  await world.setScope(['!Read'])
  const routine = routineRun({ scope: ['Grep', 'Read', 'spawn_agent'] })
  await run(world, routine)
  expect(toolNames(model)[0]).toEqual(['spawn_agent', 'Grep'])
  expect(toolNames(model)[1]).toEqual(['spawn_agent', 'Grep'])
  await run(world, routine)
  expect(toolNames(small)).toEqual([['spawn_agent', 'Grep']])
  expect(toolNames(llama)).toEqual([['spawn_agent', 'Grep']])
})

it('the tokens of each request of a run, its side turns and its chain are counted for its routine', async () => {
  const llama = scriptedModel(say('done'))
  const model = scriptedModel(call(['spawn_agent', { prompt: 'look' }]), say('a', 'b'), say('@llama go on'))
  await using world = await createTurnWorld(model, {
    tools: [spawnAgent],
    settings: PAID,
    more: [{ settings: sampleConfig({ name: 'llama', ...PAID }), adapter: llama }],
  })
  const routine = routineRun()
  await run(world, routine)
  expect(routine.tokens).toEqual([11, 12, 11, 11])
})

it('a run ends before its next request, with the reason, if its routine is out of tokens', async () => {
  const model = scriptedModel(call(['Grep', {}]), say('never asked'))
  await using world = await createTurnWorld(model, { tools: [tool('Grep')], settings: PAID })
  const routine = routineRun({
    whyNoTokens: async () => (model.requests.length > 0 ? 'routine 3 has used its 10 tokens' : undefined),
  })
  expect(await run(world, routine)).toMatchObject({
    kind: 'notice',
    text: '@qwen was stopped: routine 3 has used its 10 tokens',
  })
  expect(model.requests).toHaveLength(1)
})

/** A world whose model calls each room tool that reads or writes elsewhere, or needs rights. */
async function createRoomWorld() {
  const calls = call(
    ['rooms', {}, 'a'],
    ['history', { room: 'den' }, 'b'],
    ['search', { words: 'gold', room: 'den' }, 'c'],
    ['look', { room: 'den' }, 'd'],
    ['vibe', { text: 'mine' }, 'e'],
    ['say', { text: 'hi', room: 'den' }, 'f'],
    ['history', { room: 'hall', limit: 1 }, 'g'],
    ['look', { room: 'cave' }, 'h'],
    ['probe', {}, 'i'],
  )
  const model = scriptedModel(calls, say('ok'))
  return await createTurnWorld(model, {
    group: 'internal',
    permissions: { request: async () => 'allow' },
  })
}

it("the turn of a run with a member's rights has the rights of a plain member's turn", async () => {
  const outcomes = []
  for (const isRun of [false, true]) {
    await using world = await createRoomWorld()
    const { rooms, storage, person } = world.chatParts
    const roles: string[] = []
    const probe = tool('sshawl_probe', (_, { requester: { role, person: asker } }) => {
      roles.push(`${role} ${asker.admin}`)
      return { content: 'probed', isError: false }
    })
    world.tools.push(...roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms }), probe)
    const admin = await person('root', { admin: true })
    const member = await person('zoe')
    const den = await rooms.create('den', admin, { private: true })
    await den.record({ kind: 'message', author: 'root', text: 'the gold is here' })
    await rooms.create('hall', admin, { private: false })
    const cave = await rooms.create('cave', await person('eve'), { private: true })
    await storage.chat.rooms.setMembership(cave.name, admin.id, 'invited')
    for (const room of ['den', 'hall', 'lobby']) await storage.chat.rooms.setValue(room as never, 'nav', true)
    if (isRun) await run(world, routineRun({ rights: 'member' }), admin)
    else {
      const message = await world.room.record({ kind: 'message', author: 'zoe', text: '@qwen go' })
      await (
        await world.turns.start({ room: world.room, requester: member, model: 'qwen', message })
      ).done
    }
    const results = (await world.log()).filter((entry) => entry.kind === 'tool_result')
    outcomes.push({ roles, results: results.map(({ name, text }) => `${name}: ${text}`) })
  }
  const [plain, bounded] = outcomes
  expect(plain!.roles).toEqual(['member false'])
  expect(plain!.results).toHaveLength(9)
  expect(bounded).toEqual(plain)
})

it.each([
  ['', []],
  ['-', []],
  [' -\n', []],
  ['--', ['--']],
  ['- one', ['- one']],
])('a run that answers %j posts %j in its room, and is stored and billed', async (answer, said) => {
  await using world = await createTurnWorld(scriptedModel(say(...answer)), { settings: PAID })
  const routine = routineRun()
  const last = await run(world, routine)
  expect(await world.lines()).toEqual(said.map((text) => `reply: ${text}`))
  expect(world.deltas.join('')).toBe(said.join(''))
  if (said.length === 0) expect(last.kind).toBe('message')
  const record = await world.chatParts.storage.models.turns.last(world.room.name)
  expect(record).toMatchObject({ outcome: 'done', usage: { input: 10 } })
  expect(routine.tokens).toHaveLength(1)
})

it('a run without an answer shows only its calls, and its prompt says how to stay silent', async () => {
  const thought = function* () {
    yield { type: 'thought', thought: { text: 'hm' } } as const
    yield { type: 'text', text: '-' } as const
    yield { type: 'finish', reason: 'stop', usage: { input: 1, output: 1 } } as const
  }
  const model = scriptedModel(call(['Grep', {}]), thought)
  await using world = await createTurnWorld(model, { tools: [tool('Grep')] })
  await run(world, routineRun())
  expect(await world.lines()).toEqual([
    expect.stringMatching(/^tool_call/),
    expect.stringMatching(/^tool_result/),
  ])
  expect([...world.deltas, ...world.thoughts]).toEqual([])
  expect(model.requests[0]!.prompt.message).toMatch(/^ann: @qwen go\n\(A routine asks this\..*"-"/)
})
