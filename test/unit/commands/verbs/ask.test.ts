import { expect, test } from 'vitest'
import { stopOwn } from '../../../../src/commands/verbs/ask.ts'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { ok } from '../../../../src/tools/results/result.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import {
  createCommandWorld,
  createCommandWorldWith,
  done,
  misused,
  refused,
  type CommandWorld,
} from '../../../support/commands/command-world.ts'
import { touch } from '../../../support/commands/raise-question.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'
import { tool } from '../../../support/turn-world.ts'

const NO_TOOLS = 'There are no tools in the request I was given.'

test('/ask posts the question and prints the answer of the model to a script', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'ask hall @qwen tools')).toEqual(done(NO_TOOLS, '\n'))
  expect(await world.texts('hall', 2)).toEqual(['@qwen tools', NO_TOOLS])
})

test('/ask --json prints one entry a line, the question first', async () => {
  await using world = await createCommandWorld(tool('look_up'))
  const { out } = await world.exec(world.bob, 'ask hall --json qwen call look_up {"q":"x"}')
  const entries = out.map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
  expect(entries.map((entry) => entry.kind)).toEqual(['message', 'tool_call', 'tool_result', 'reply'])
  expect(entries.at(-1)?.text).toBe('{"q":"x"}')
})

test('/ask adds piped text to the question on the line', async () => {
  await using world = await createCommandWorld()
  for (const line of ['ask hall qwen', 'ask hall qwen -']) await world.exec(world.bob, line, 'piped')
  expect((await world.texts('hall', 4)).filter((text) => text === '@qwen piped')).toHaveLength(2)
  await world.exec(world.bob, 'ask hall qwen review this -', 'piped')
  expect(await world.texts('hall', 2)).toContain('@qwen review this\npiped')
})

test('/ask fails with the reason if the turn fails', async () => {
  await using world = await createCommandWorld()
  const script = 'function default_wrap(t) error("no prompt today") end'
  await world.turnWorld.chatParts.storage.prompts.scripts.put({
    ...{ room: (await world.turnWorld.chatParts.rooms.get('hall', world.ann)).name, source: script },
    ...{ author: 'ann', at: 0 },
  })
  const failed = await world.exec(world.bob, 'ask hall qwen hello')
  expect(failed).toMatchObject({ status: 1, out: [] })
  expect(failed.err.join()).toContain('no prompt today')
})

test('/ask prints on standard error who stopped the turn', async () => {
  const begun = createDeferred<void>()
  const endless = tool('endless', (_args, { signal }) => {
    begun.resolve()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok('stopped'))))
  })
  await using world = await createCommandWorld(endless)
  const asked = world.exec(world.bob, 'ask hall qwen call endless {}')
  await begun.promise
  await world.exec(world.ann, 'stop hall')
  expect(await asked).toEqual({ ...refused("ann stopped @qwen's turn for bob"), out: [] })
})

test('/ask --allow lets tools run by name if the caller of the script manages the room', async () => {
  await using world = await createCommandWorld(touch)
  const call = 'hall qwen call touch {"q":"a.txt"}'
  expect((await world.exec(world.ann, `ask --allow touch ${call}`)).out[0]).toBe('touched a.txt')
  const unnamed = await world.exec(world.ann, `ask ${call}`)
  expect(unnamed.out[0]).toContain('Permission denied: touch it?')
  expect(unnamed.err.join()).toContain('a script must name it: --allow touch')
  expect(await world.exec(world.bob, `ask --allow touch ${call}`)).toEqual(
    refused('only the owner of hall, an op or an admin can allow tools from a script'),
  )
  expect(await world.exec(world.ann, `ask --allow touch,tuoch ${call}`)).toEqual(
    refused('there is no tool called tuoch in hall; see tools'),
  )
  expect(await world.type(world.ann, 'ask --allow touch qwen hello')).toEqual(
    refused('--allow is for scripts: in a session you are asked, and answer with /allow'),
  )
})

test.each([
  ['ask hall @qwem hello', 'there is no model called @qwem; did you mean @qwen?'],
  ['ask hall __proto__ hello', 'there is no model called @__proto__; models lists them'],
  ['ask hall qwen', 'there is nothing to ask: give a text, or pipe one in'],
  ['ask hall qwen -', 'there is nothing to ask: give a text, or pipe one in'],
  [`ask hall qwen ${'x'.repeat(95)}`, 'the message has 101 characters and 100 are allowed; nothing was sent'],
  ['ask den qwen hello', 'there is no room called den; see rooms, or make it with create'],
])('the script line %s is refused and posts nothing', async (line, sentence) => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, line)).toEqual(refused(sentence))
  expect(await world.texts('hall')).toEqual([])
})

const NOTHING = 'you have asked no model in hall lately; say @MODEL and your question'
const AT_WORK = '@qwen is at work on that question; stop it, or wait until it is done'

/** A world with a tool that fails the turn, or waits, until a test says otherwise. */
async function createScene() {
  const begun = createDeferred<void>()
  const may = createDeferred<void>()
  const slow = tool('slow', async (_args, { signal }) => {
    begun.resolve()
    signal.addEventListener('abort', () => may.resolve())
    await may.promise
    return ok('slept')
  })
  return { world: await createCommandWorld(slow), begun: begun.promise, wake: may.resolve }
}

async function setScript(world: CommandWorld, source: string): Promise<void> {
  await world.turnWorld.chatParts.storage.prompts.scripts.put({
    ...{ room: (await world.turnWorld.chatParts.rooms.get('hall', world.ann)).name, source },
    ...{ author: 'ann', at: 0 },
  })
}

const BROKEN = 'function default_wrap(t) error("no prompt today") end'

test('/retry repeats a failed question even if later ones were answered', async () => {
  await using world = await createCommandWorld(tool('look_up'))
  await setScript(world, BROKEN)
  await world.exec(world.bob, 'ask hall qwen call look_up {"q":"first"}')
  expect(await world.exec(world.bob, 'retry hall')).toMatchObject({ status: 1, out: [] })
  await setScript(world, '')
  await world.exec(world.bob, 'ask hall qwen call look_up {"q":"second"}')
  expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"first"}', '\n'))
  expect(await world.texts('hall', 4)).toContain('bob asked @qwen again: @qwen call look_up {"q":"first"}')
  expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"first"}', '\n'))
  await world.exec(world.bob, 'ask hall qwen call look_up {"q":"third"}')
  expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"third"}', '\n'))
})

test('/retry answers the original message without posting it again', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'ask hall qwen tools')
  const { out } = await world.exec(world.bob, 'retry hall --json')
  const entries = out.map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
  expect(entries.map(({ kind }) => kind)).toEqual(['message', 'reply'])
  expect((await world.texts('hall', 9)).filter((text) => text === '@qwen tools')).toHaveLength(1)
})

test('/retry in a session repeats a stopped question without waiting for the answer', async () => {
  const { world, begun } = await createScene()
  await using _ = world
  await world.type(world.bob, 'ask qwen call slow {}')
  await begun
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  const [turn] = world.turnWorld.turns.running(room.name)
  await world.type(world.bob, 'stop')
  await turn?.ended()
  expect(await world.type(world.bob, 'retry')).toEqual(done())
  const [again] = world.turnWorld.turns.running(room.name)
  expect(again?.message).toBe(turn?.message)
  await again?.ended()
})

test('/retry is refused while its question is being answered', async () => {
  const { world, begun, wake } = await createScene()
  await using _ = world
  await world.type(world.bob, 'ask qwen call slow {}')
  await begun
  expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(AT_WORK))
  wake()
})

test('/retry asks an edited question as edited, and refuses a retracted one', async () => {
  await using world = await createCommandWorld(tool('look_up'))
  await world.exec(world.bob, 'ask hall qwen call look_up {"q":"first"}')
  await world.exec(world.bob, 'edit hall @qwen call look_up {"q":"second"}')
  expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"second"}', '\n'))
  expect(await world.texts('hall', 4)).toContain('bob asked @qwen again: @qwen call look_up {"q":"second"}')
  await world.exec(world.bob, 'retract hall')
  expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(NOTHING))
})

test('/retry repeats a question asked under a former name, but not for the new owner of that name', async () => {
  await using world = await createCommandWorld(tool('look_up'))
  await world.exec(world.bob, 'ask hall qwen call look_up {"q":"first"}')
  await world.exec(world.bob, 'rename bobby')
  expect(await world.exec({ ...world.guest, name: 'bob' }, 'retry hall')).toEqual(refused(NOTHING))
  expect(await world.exec({ ...world.bob, name: 'bobby' }, 'retry hall')).toEqual(done('{"q":"first"}', '\n'))
  expect(await world.texts('hall', 4)).toContain('bobby asked @qwen again: @qwen call look_up {"q":"first"}')
})

test('/retry ignores questions of other people or rooms, and hides private rooms', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'ask hall qwen tools')
  await world.exec(world.bob, 'ask lobby qwen tools')
  expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(NOTHING))
  const missing = await world.exec(world.bob, 'retry dxn')
  expect(await world.exec(world.bob, 'retry den')).toEqual(
    refused((missing.err[0] ?? '').replace('dxn', 'den')),
  )
})

/** Two models, of which the second keeps what it was sent. */
async function createPair() {
  const small = scriptedModel(say('from small'), say('from small, again'))
  const settings = sampleConfig({ name: 'small', backend: 'guide' })
  return { small, world: await createCommandWorldWith({ more: [{ settings, adapter: small }] }) }
}

test('/retry @MODEL asks that model the last question, and the first answer stays in the log', async () => {
  const { small, world } = await createPair()
  await using _ = world
  await world.exec(world.bob, 'ask hall qwen tools')
  expect(await world.exec(world.bob, 'retry hall @small')).toEqual(done('from small', '\n'))
  expect(await world.texts('hall', 4)).toEqual([
    '@qwen tools',
    NO_TOOLS,
    'bob asked @small, too: @qwen tools',
    'from small',
  ])
  await world.exec(world.bob, 'ask hall small and now?')
  expect(small.requests[1]!.prompt.context).toMatch(new RegExp(`qwen: ${NO_TOOLS}[^]*small: from small`))
})

test('/retry @MODEL asks the last question even if an older one failed, and refuses an unknown model', async () => {
  const { small, world } = await createPair()
  await using _ = world
  await setScript(world, BROKEN)
  await world.exec(world.bob, 'ask hall qwen first')
  await setScript(world, '')
  await world.exec(world.bob, 'ask hall qwen second')
  expect(await world.type(world.bob, 'retry smal')).toEqual(
    refused('there is no model called @smal; did you mean @small?'),
  )
  await world.exec(world.bob, 'retry hall small')
  expect(small.requests[0]!.prompt.message).toBe('bob: @qwen second')
})

const NOTHING_STOP = 'nothing that you could stop is running in hall'

/** Bob's tool is at work in hall, and so is a turn that he asked for: both until they are stopped. */
async function createStopScene() {
  const working: (() => void)[] = []
  const endless = tool('endless', (_args, { signal }) => {
    working.shift()?.()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok('stopped'))))
  })
  const world = await createCommandWorld(endless)
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  const { caller } = sessionIn(room, world.bob)
  for (const line of ['run endless', 'ask qwen call endless {}']) {
    const begun = new Promise<void>((resolve) => working.push(resolve))
    await world.runner.command(line, caller)
    await begun
  }
  const [turn] = world.turnWorld.turns.running(room.name)
  return { world, turn: turn! }
}

test('^X stops only the work of its caller and refers an op to /stop for the rest', async () => {
  const { world, turn } = await createStopScene()
  await using _ = world
  const work = { turns: world.turnWorld.turns, runs: world.runs }
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  await expect(stopOwn(work, hall, world.ann)).rejects.toThrow(
    'nothing that you started is running in hall; /stop stops what others asked for',
  )
  expect(work.turns.running(hall.name)).toHaveLength(1)
  await stopOwn(work, hall, world.bob)
  await turn.ended()
  expect(await world.texts('hall', 1)).toEqual(['bob stopped @qwen'])
})

test('/stop is refused for the work of others unless the caller manages the room', async () => {
  const { world, turn } = await createStopScene()
  await using _ = world
  expect(await world.type(world.guest, 'stop')).toEqual(refused(NOTHING_STOP))
  expect(await world.exec(world.ann, 'stop lobby')).toMatchObject({ status: 1 })
  const [run] = world.runs.running(turn.room)
  expect(await world.exec(world.ann, 'stop hall')).toEqual(done())
  await turn.ended()
  await run!.done()
  expect(await world.texts('hall', 4)).toEqual(
    expect.arrayContaining([
      "ann stopped @qwen's turn for bob",
      'ERROR: endless: stopped before it was done: ann stopped it',
    ]),
  )
})

test.each(['qwen', '@QWEN'])('/stop %s stops the turns of that model, but no tool run', async (word) => {
  const { world, turn } = await createStopScene()
  await using _ = world
  expect(await world.exec(world.guest, `stop hall ${word}`)).toEqual(
    refused('@qwen is doing nothing in hall that you could stop'),
  )
  expect(await world.exec(world.bob, `stop hall ${word}`)).toEqual(done())
  await turn.ended()
  expect(await world.texts('hall', 1)).toEqual(['bob stopped @qwen'])
  expect(await world.exec(world.bob, `stop hall ${word}`)).toMatchObject({ status: 1 })
  expect(await world.exec(world.bob, 'stop hall')).toEqual(done())
})

test('/stop refuses unknown models, unknown rooms or extra words, and completes model names', async () => {
  const { world, turn } = await createStopScene()
  await using _ = world
  expect(await world.exec(world.ann, 'stop hall @qwne')).toEqual(
    refused('there is no model called @qwne; did you mean @qwen?'),
  )
  expect(await world.exec(world.bob, 'stop den @qwen')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.type(world.bob, 'stop @qwen now')).toEqual(
    misused('stop: "now" is one word too many', '/stop [MODEL]'),
  )
  const stop = world.commands.find(({ name }) => name === 'stop')
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  expect(await stop?.complete('model', { room, person: world.bob, given: [], word: '' })).toEqual(['qwen'])
  expect(world.turnWorld.turns.running(room.name)).toContain(turn)
})

test('/stop stops work started under a former name, but not for the new owner of that name', async () => {
  const { world, turn } = await createStopScene()
  await using _ = world
  await world.exec(world.bob, 'rename bobby')
  const other = { ...world.guest, name: 'bob' }
  expect(await world.exec(other, 'stop hall')).toEqual(refused(NOTHING_STOP))
  expect(await world.exec(other, 'stop hall @qwen')).toMatchObject({ status: 1 })
  const [run] = world.runs.running(turn.room)
  expect(await world.exec({ ...world.bob, name: 'bobby' }, 'stop hall')).toEqual(done())
  await Promise.all([turn.ended(), run!.done()])
  expect(world.runs.running(turn.room)).toEqual([])
})
