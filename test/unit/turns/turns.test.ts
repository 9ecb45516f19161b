import { describe, expect, it } from 'vitest'
import { Refusal, StorageError } from '../../../src/chat/errors.ts'
import type { TurnId } from '../../../src/chat/entry.ts'
import { ok } from '../../../src/tools/tool.ts'
import { markCutTurns } from '../../../src/turns/cut-turns.ts'
import type { ConfiguredModel } from '../../../src/turns/ports.ts'
import { WrapError } from '../../../src/prompt/ports.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { call, hangs, say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'

const KEY = 'sk-never-shown-anywhere'

const another = (name: string, change: object = {}): ConfiguredModel => ({
  settings: sampleConfig({ name, backend: 'guide', apiKey: KEY, ...change }),
  model: scriptedModel(say(`I am ${name}`)),
})

describe('starting turns', () => {
  it('refuses models that are not there, with a sentence', async () => {
    await using world = await createTurnWorld(scriptedModel(), { more: [another('off', { enabled: false })] })
    for (const model of ['nobody', 'off', '__proto__']) {
      await expect(world.start('hi', { model })).rejects.toThrow(Refusal)
      await expect(world.start('hi', { model })).rejects.toThrow(
        `there is no model called @${model}; see models`,
      )
    }
    expect(world.turns.names()).toEqual(['qwen'])
  })

  it('lets turns wait for their place, refuses beyond the line, and goes on when one ends', async () => {
    const model = scriptedModel(hangs(), say('second'))
    await using world = await createTurnWorld(model, { limits: { turns_per_room: 1, turns_queued: 1 } })
    const first = await world.start()
    await model.arrived(1)
    const second = await world.start()
    expect([first.doing(), second.doing()]).toEqual(['thinking', 'waiting'])
    expect(world.turns.running(world.room.name)).toEqual([first, second])
    await expect(world.start()).rejects.toThrow('1 models are at work here and 1 wait')
    first.cancel()
    expect(await second.done).toMatchObject({ kind: 'reply', text: 'second' })
    expect(world.turns.running(world.room.name)).toEqual([])
  })

  it('asks nothing of a model whose turn is stopped while it waits', async () => {
    const model = scriptedModel(hangs())
    await using world = await createTurnWorld(model, { limits: { turns_per_room: 1 } })
    const first = await world.start()
    await model.arrived(1)
    const second = await world.start()
    second.cancel('ann stopped @qwen')
    expect((await second.done).text).toBe('ann stopped @qwen')
    expect(model.requests).toHaveLength(1)
    first.cancel()
    await first.done
  })

  it('runs turns of different models at once', async () => {
    const model = scriptedModel(hangs())
    await using world = await createTurnWorld(model, { more: [another('llama')] })
    const slow = await world.start()
    await model.arrived(1)
    const quick = await world.start('hi', { model: 'llama' })
    expect((await quick.done).text).toBe('I am llama')
    expect(world.turns.running(world.room.name)).toEqual([slow])
  })
})

describe('the end of the server', () => {
  it('stops every turn, running and waiting, says so in the room, and starts no more', async () => {
    const model = scriptedModel(hangs('Once'))
    await using world = await createTurnWorld(model, { limits: { turns_per_room: 1 } })
    const turns = [await world.start(), await world.start()]
    await model.arrived(1)
    await world.turns[Symbol.asyncDispose]()
    expect(await world.society.storage.turns.unfinished()).toEqual([])
    const notices = (await world.log()).filter((entry) => entry.kind === 'notice')
    expect(notices.map((entry) => entry.text)).toEqual(
      turns.map(() => '@qwen was stopped: the server is stopping'),
    )
    await expect(world.start()).rejects.toThrow('the server is stopping')
  })
})

describe('a store that fails', () => {
  const full = new StorageError('full', 'the disk is full: nothing was stored')

  it('refuses the turn where its beginning cannot be recorded, and asks no model', async () => {
    const model = scriptedModel(say('ok'))
    let broken = true
    await using world = await createTurnWorld(model, {
      withStore: ({ turns }) => ({
        turns: { ...turns, begin: (turn) => (broken ? Promise.reject(full) : turns.begin(turn)) },
      }),
    })
    await expect(world.start()).rejects.toBe(full)
    expect(world.turns.running(world.room.name)).toEqual([])
    expect(model.requests).toEqual([])
    broken = false
    expect((await world.ask()).text).toBe('ok')
  })

  it('ends the turn where its prompt cannot be recorded, before any tool runs', async () => {
    let runs = 0
    const grep = tool('Grep', () => ok(`${(runs += 1)}`))
    await using world = await createTurnWorld(scriptedModel(call(['Grep', {}])), {
      tools: [grep],
      withStore: ({ turns }) => ({
        turns: {
          ...turns,
          finish: (id, change) => (change.prompt ? Promise.reject(full) : turns.finish(id, change)),
        },
      }),
    })
    expect((await world.ask()).text).toBe("@qwen's turn ended: the disk is full: nothing was stored")
    expect(runs).toBe(0)
  })

  it('ends the turn where a call cannot be logged, and the tool does not run', async () => {
    let runs = 0
    const grep = tool('Grep', () => ok(`${(runs += 1)}`))
    await using world = await createTurnWorld(scriptedModel(call(['Grep', {}])), { tools: [grep] })
    const { log } = world.society.storage
    const append = log.append.bind(log)
    log.append = (entry) => (entry.kind === 'tool_call' ? Promise.reject(full) : append(entry))
    expect(await world.ask()).toMatchObject({
      kind: 'notice',
      level: 'error',
      text: "@qwen's turn ended: the disk is full: nothing was stored",
    })
    expect(runs).toBe(0)
  })

  it('fails the turn, and nothing else, where even its end cannot be recorded', async () => {
    await using world = await createTurnWorld(scriptedModel(say('lost'), say('kept')))
    const { log } = world.society.storage
    const append = log.append.bind(log)
    const turn = await world.start()
    log.append = () => Promise.reject(full)
    await expect(turn.done).rejects.toBe(full)
    expect(world.society.log.lines).toContain('a turn could not be recorded')
    log.append = append
    expect((await world.ask()).text).toBe('kept')
  })
})

describe('a turn that a crash cut off', () => {
  async function begun(world: TurnWorld): Promise<string> {
    const id = world.society.nextId()
    const facts = { model: 'qwen', requester: 'ann', startedAt: 0 }
    await world.society.storage.turns.begin({ id, room: world.room.name, ...facts })
    return id
  }

  const mark = ({ society: { storage, chat, clock } }: TurnWorld): Promise<number> =>
    markCutTurns({ turns: storage.turns, log: storage.log, clock, room: (name) => chat.anyRoom(name) })

  it('is shown as cut off, once, and is on record as cut', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const id = await begun(world)
    expect(await mark(world)).toBe(1)
    expect(await mark(world)).toBe(0)
    expect(await world.log()).toMatchObject([
      {
        kind: 'notice',
        level: 'error',
        turn: id,
        text: expect.stringMatching(/^@qwen's answer to ann was cut off/),
      },
    ])
    expect(await world.society.storage.turns.find(id)).toMatchObject({ outcome: 'cut' })
  })

  it('is not called cut when its reply had been recorded', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const turn = (await begun(world)) as TurnId
    await world.room.record({ kind: 'reply', author: 'qwen', text: 'all', outcome: 'done', turn })
    expect(await mark(world)).toBe(1)
    expect(await world.lines()).toEqual(['reply: all'])
    expect(await world.society.storage.turns.find(turn)).toMatchObject({ outcome: 'done' })
  })

  it('is ended where its room is gone', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const facts = { model: 'qwen', requester: 'ann', startedAt: 0 }
    await world.society.storage.turns.begin({ id: world.society.nextId(), room: 'gone', ...facts })
    const { storage, clock } = world.society
    await markCutTurns({
      turns: storage.turns,
      log: storage.log,
      clock,
      room: () => Promise.resolve(undefined),
    })
    expect(await storage.turns.unfinished()).toEqual([])
  })
})

describe('what a model would be given', () => {
  it('is the same prompt that it is sent, but for the message', async () => {
    const model = scriptedModel(say('ok'))
    await using world = await createTurnWorld(model, { tools: [tool('Grep'), tool('sshawl_look')] })
    const shown = await world.turns.prompt({ room: world.room, person: world.ann, model: 'qwen' })
    await world.ask('hello')
    const sent = model.requests[0]!.prompt
    expect(shown.message).toBe('')
    expect(shown.system).toBe(sent.system)
    expect(shown.tools).toEqual(sent.tools)
  })

  it('tells of the scope: every tool with its tokens, and why it is hidden', async () => {
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

  it('counts the tokens of a tool once, however often it is asked', async () => {
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

  it('is what a room script is tried on: a good one passes, a bad one is told with its line', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const trial = { room: world.room, person: world.ann }
    await world.turns.checkScript({
      ...trial,
      source: 'function default_wrap(t) return wrap(t):system() end',
    })
    await expect(world.turns.checkScript({ ...trial, source: 'x = = 1' })).rejects.toThrow(WrapError)
  })
})

describe('the list of models', () => {
  it('has what each has spent, and no secret', async () => {
    await using world = await createTurnWorld(scriptedModel(say('a', 'b')), {
      more: [another('llama'), another('off', { enabled: false })],
    })
    await world.ask()
    const models = await world.turns.models()
    expect(models).toMatchObject([
      { name: 'qwen', enabled: true, turns: 1, input: 10, output: 2 },
      { name: 'llama', enabled: true, turns: 0, input: 0, output: 0 },
      { name: 'off', enabled: false },
    ])
    expect(JSON.stringify(models)).not.toContain(KEY)
  })
})

describe('a model', () => {
  it('that mentions a model in its reply starts no turn', async () => {
    await using world = await createTurnWorld(scriptedModel(say('@llama, what do you think?')), {
      more: [another('llama')],
    })
    await world.ask()
    expect(world.turns.running(world.room.name)).toEqual([])
    expect(await world.lines()).toEqual(['reply: @llama, what do you think?'])
  })

  it('reads who is here, the room, and nothing of another room', async () => {
    const model = scriptedModel(say('ok'))
    await using world = await createTurnWorld(model, { more: [another('llama')] })
    const bob = await world.society.person('bob')
    const attic = await world.society.chat.create('attic', bob, { private: true })
    await attic.record({ kind: 'message', author: 'bob', text: 'the treasure is under the stairs' })
    await world.room.enter({ person: world.ann, deliver() {} })
    await world.society.storage.rooms.update(world.room.name, { topic: 'gardens' })
    await world.ask()
    const snapshot = world.composer.snapshots.at(-1)!
    expect(snapshot.room).toMatchObject({ name: 'lobby', topic: 'gardens' })
    expect(snapshot.user).toEqual({ name: 'ann', role: 'member' })
    expect(snapshot.present).toEqual([
      { name: 'ann', kind: 'person', role: 'member' },
      { name: 'qwen', kind: 'model', role: 'model' },
      { name: 'llama', kind: 'model', role: 'model' },
    ])
    expect(JSON.stringify(model.requests[0])).not.toContain('treasure')
    expect(JSON.stringify(snapshot)).not.toContain(KEY)
  })
})

describe('the rows of history', () => {
  it('are counted after a turn, once, so that the next prompt reads what can fit', async () => {
    await using world = await createTurnWorld(scriptedModel(say('one'), say('two')))
    const saved: number[] = []
    const { history } = world.society.storage
    const save = history.saveCounts.bind(history)
    history.saveCounts = (encoding, counts) => {
      saved.push(counts.size)
      return save(encoding, counts)
    }
    for (const text of ['a', 'b', 'c']) await world.room.record({ kind: 'message', author: 'bob', text })
    await world.ask()
    await world.ask()
    // The second turn finds its own question and the first answer uncounted, and nothing else.
    expect(saved).toEqual([3, 2])
    const rows = world.composer.snapshots.at(-1)!.history
    expect(rows.slice(0, 3).every((row) => row.tokens! > 0)).toBe(true)
  })

  it('that were never counted are all counted after the first turn that reads them', async () => {
    await using world = await createTurnWorld(scriptedModel(say('one'), say('two')))
    const texts = Array.from({ length: 130 }, (_, number) => `message ${number}`)
    for (const text of texts) await world.room.record({ kind: 'message', author: 'bob', text })
    await world.ask()
    await world.ask()
    const [first, second] = world.composer.snapshots.map((snapshot) =>
      snapshot.history.filter((row) => row.entry.author === 'bob').map((row) => row.tokens),
    )
    expect(first).toEqual(texts.map(() => undefined))
    expect(second).toEqual(texts.map(() => expect.any(Number) as number))
  })

  it('that cannot be counted do not disturb the turn', async () => {
    await using world = await createTurnWorld(scriptedModel(say('ok')))
    await world.room.record({ kind: 'message', author: 'bob', text: 'a' })
    world.composer.count = () => Promise.reject(new WrapError('process', 'the counter is gone'))
    expect((await world.ask()).text).toBe('ok')
  })
})
