import { expect, it } from 'vitest'
import { WrapError } from '../../../src/wrap/ports.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, tool } from '../../support/turn-world.ts'

it('the previewed prompt is the prompt that is sent, without the message', async () => {
  const model = scriptedModel(say('ok'))
  await using world = await createTurnWorld(model, { tools: [tool('Grep'), tool('sshawl_look')] })
  const shown = await world.turns.prompt({ room: world.room, person: world.ann, model: 'qwen' })
  await world.ask('hello')
  const sent = model.requests[0]!.prompt
  expect(shown.message).toBe('')
  expect(shown.system).toBe(sent.system)
  expect(shown.tools).toEqual(sent.tools)
})

it('the scope list shows each tool with its tokens and the reason if it is hidden', async () => {
  const model = scriptedModel(say('ok'))
  await using world = await createTurnWorld(model, {
    tools: [tool('Grep'), tool('Glob'), tool('run_command')],
  })
  await world.setScope(['G*', '!Glob', 'Grepp'])
  const list = await world.turns.scope({ room: world.room, person: world.ann })
  expect(list.tools.map((one) => [one.tool.name, one.visible])).toEqual([
    ['Grep', true],
    ['Glob', false],
    ['run_command', false],
  ])
  expect(list.tools.filter((one) => one.reason === '').map((one) => one.tool.name)).toEqual(['Grep'])
  expect(list.warnings).toEqual([expect.stringContaining('Grepp matches no tool; did you mean Grep?')])
  await world.ask()
  const sent = model.requests[0]!.prompt.tools
  expect(list.visible).toBe(sent.length)
  expect(list.tokens).toBe(sent.reduce((sum, one) => sum + one.tokens, 0))
  expect(list.tools[0]!.tokens).toBe(sent[0]!.tokens)
})

it('the tokens of a tool are counted once for repeated requests of the scope list', async () => {
  await using world = await createTurnWorld(scriptedModel(), { tools: [tool('Grep'), tool('Glob')] })
  const counted: (readonly string[])[] = []
  const count = world.composer.count.bind(world.composer)
  world.composer.count = (encoding, texts) => {
    counted.push(texts)
    return count(encoding, texts)
  }
  for (const _ of [1, 2, 3]) await world.turns.scope({ room: world.room, person: world.ann })
  expect(counted.map((texts) => texts.length)).toEqual([2])
})

it('the tool count of a room is computed without counting tokens', async () => {
  const tools = [tool('Grep'), tool('Glob'), tool('grep', undefined, { unavailable: 'no sandbox' })]
  await using world = await createTurnWorld(scriptedModel(), { tools })
  const asked = { room: world.room, person: world.ann }
  await world.setScope(['*', '!Glob'])
  const { scope, visible } = await world.turns.scope(asked)
  world.composer.count = () => Promise.reject(new Error('tokens were counted'))
  expect(await world.turns.toolCount(asked)).toEqual({ scope, visible })
  expect(visible).toBe(1)
})

it('a valid room script is accepted and a room script with a syntax error is rejected', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const trial = { room: world.room, person: world.ann }
  await world.turns.checkScript({
    ...trial,
    source: 'function default_wrap(t) return wrap(t):system() end',
    print: () => {},
  })
  await expect(world.turns.checkScript({ ...trial, source: 'x = = 1', print: () => {} })).rejects.toThrow(
    WrapError,
  )
})

it('a room script is tried with every model, and the error names one with too small a window', async () => {
  const small = anotherModel('small', { contextWindow: 1490, maxOutput: 1000 })
  await using world = await createTurnWorld(scriptedModel(), { more: [anotherModel('other'), small] })
  const printed: string[] = []
  const print = (line: string): void => void printed.push(line)
  const trial = { room: world.room, person: world.ann, print }
  const rules = 'print(tools.current_model().name == "small" and "tight" or "fine")\n'
  const script = (words: number): string =>
    `${rules}function default_wrap(t) return wrap(t):custom("x", ("word "):rep(${words}), 1, true, {required = true}) end`
  await world.turns.checkScript({ ...trial, source: script(20) })
  expect(printed.splice(0)).toEqual(['fine', '@small: tight'])
  await expect(world.turns.checkScript({ ...trial, source: script(500) })).rejects.toThrow(
    /^@small: wrap: layer "x" needs 50\d tokens/,
  )
  expect(printed).toEqual(['fine', '@small: tight'])
})

it('the error names all models without space, and a warning those always too small', async () => {
  const sized = (name: string, contextWindow: number) => anotherModel(name, { contextWindow, maxOutput: 200 })
  const more = [sized('tiny', 500), sized('small', 1500), sized('other', 1600)]
  await using world = await createTurnWorld(scriptedModel(), { more })
  const printed: string[] = []
  const trial = { room: world.room, person: world.ann, print: (line: string) => void printed.push(line) }
  const script = (words: number): string =>
    `function default_wrap(t) return wrap(t):system():custom("x", ("word "):rep(${words}), 1, true, {required = true}) end`
  await world.turns.checkScript({ ...trial, source: script(20) })
  expect(printed.splice(0)).toEqual([
    expect.stringMatching(
      /^! @tiny: wrap: layer "system" needs .* too small for the bundled layers as well$/,
    ),
  ])
  await expect(world.turns.checkScript({ ...trial, source: script(1200) })).rejects.toThrow(
    /^@small: wrap: layer "x" needs .*; @other: wrap: layer "x" needs /,
  )
  expect(printed).toHaveLength(1)
})
