import { expect, it } from 'vitest'
import type { RoomName } from '../../../../src/words/entry.ts'
import type { StoredSummary } from '../../../../src/wrap/ports.ts'
import { ModelError } from '../../../../src/wrap/loop/model.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { createPiecePace } from '../../../../src/turns/summaries/pauses.ts'
import { handClock, screenOf } from '../../../support/chat-parts.ts'
import { userContent } from '../../../../src/wrap/prompt.ts'
import { fail, hangs, say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld, type WorldOptions } from '../../../support/turn-world.ts'

/** A world with a model called memo that sums up and follows this script. */
async function remembering(steps: readonly ScriptedStep[], options: WorldOptions = {}) {
  const memo = scriptedModel(...steps)
  const settings = sampleConfig({ name: 'memo', backend: 'openai-compatible' })
  const world = await createTurnWorld(scriptedModel(say('yes'), say('yes')), {
    summarizer: 'memo',
    more: [{ settings, adapter: memo }],
    ...options,
  })
  return { world, memo }
}

/** So many messages; the room's summaries hear of each as they do in the server. */
async function talk({ room, summaries }: TurnWorld, count: number, words = 'says a thing'): Promise<void> {
  for (let index = 0; index < count; index += 1)
    summaries.onEntry(await room.record({ kind: 'message', author: 'ann', text: `${words} ${index}` }))
}

async function idle({ summaries, room }: TurnWorld): Promise<void> {
  while ((await summaries.status(room.name)).working) await new Promise(setImmediate)
}

const current = ({ chatParts: { storage }, room }: TurnWorld): Promise<StoredSummary | undefined> =>
  storage.prompts.summaries.current(room.name)

const asked = (memo: ReturnType<typeof scriptedModel>): readonly string[] =>
  memo.requests.map(({ prompt }) => userContent(prompt))

it('no summary is made without a summarizer, or while all entries fit', async () => {
  const memo = scriptedModel()
  const settings = sampleConfig({ name: 'memo', backend: 'openai-compatible' })
  await using world = await createTurnWorld(scriptedModel(), { more: [{ settings, adapter: memo }] })
  await talk(world, 200)
  await idle(world)
  const { storage, rooms } = world.chatParts
  const den = await rooms.create('den', world.ann, { private: false })
  await storage.chat.rooms.setValue(den.name, 'summarizer', 'memo')
  await talk({ ...world, room: den }, 40)
  await idle({ ...world, room: den })
  expect(memo.requests).toHaveLength(0)
})

it('a summary is made as soon as the entries have much text, even if they are few', async () => {
  const { world, memo } = await remembering([say('ann says things')])
  await using _ = world
  await talk(world, 3, 'word '.repeat(2640))
  await memo.arrived(1)
  await idle(world)
  const log = (await world.log()).map(({ id }) => id)
  expect(await current(world)).toMatchObject({ version: 1, first: log[0], text: 'ann says things' })
})

it('a summary covers the older half, continues from the last version, and is part of the prompt', async () => {
  const { world, memo } = await remembering([say('ann says\nsystem: things'), say('more things')])
  await using _ = world
  await talk(world, 160)
  await memo.arrived(1)
  await idle(world)
  const first = await current(world)
  const log = (await world.log()).map(({ id }) => id)
  expect(first).toMatchObject({ version: 1, author: 'memo', first: log[0], text: 'ann says\nsystem: things' })
  expect(log.indexOf(first!.last)).toBe(160 - 75 - 1)
  await talk(world, 100, 'later')
  await memo.arrived(2)
  await idle(world)
  expect(await current(world)).toMatchObject({ version: 2, first: log[0], text: 'more things' })
  expect(asked(memo)[1]).toContain('## The summary so far\n  ann says\n  system: things\n')
  expect(asked(memo)[1]).not.toContain('says a thing 84\n')
  expect(asked(memo)[1]).toContain('## What was said after it\nann: says a thing 85\n')
  const prompt = await world.turns.prompt({ room: world.room, person: world.ann, model: 'qwen' })
  expect(prompt.context).toMatch(/## What was said earlier, as memo summed it up .*\n {2}more things\n/)
  expect(prompt.system).not.toContain('more things')
  const query = { room: world.room.name, since: 0, by: 'model' } as const
  expect(await world.chatParts.storage.models.charges.usage(query)).toEqual([
    { key: 'memo', turns: 2, requests: 2, input: 20, cached: 0, output: 2 },
  ])
})

it('a summary written by hand is not overwritten by an older version, and the next one continues it', async () => {
  const { world, memo } = await remembering([say('one'), say('two'), say('three')])
  await using _ = world
  await talk(world, 160)
  await memo.arrived(1)
  await idle(world)
  const before = await current(world)
  const { storage } = world.chatParts
  const { version: _version, ...written } = { ...before!, text: 'by hand', author: 'ann' }
  const saved = await storage.prompts.summaries.put(written)
  expect(await storage.prompts.summaries.put({ ...written, text: 'late' }, before!.version)).toBeUndefined()
  expect(await current(world)).toEqual(saved)
  await talk(world, 160, 'later')
  await memo.arrived(2)
  expect(asked(memo)[1]).toContain('## The summary so far\n  by hand\n')
  await idle(world)
})

it('a renewed summary starts from the beginning of the room', async () => {
  const { world, memo } = await remembering([say('short'), say('short again')])
  await using _ = world
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect(await current(world)).toMatchObject({ version: 1, text: 'short' })
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect(asked(memo)[1]).toContain('(none: this is the beginning)')
  expect(await current(world)).toMatchObject({ version: 2, text: 'short again' })
})

it('a summary covers only entries after the checkpoint, and older summaries are not shown', async () => {
  const { world, memo } = await remembering([say('old'), say('new')])
  await using _ = world
  await talk(world, 3, 'before')
  await world.summaries.renew(world.room.name)
  await idle(world)
  const after = (await world.log()).at(-1)!.id
  const checkpoint = { name: 'here', after, by: 'ann', at: 0 }
  await world.chatParts.storage.chat.rooms.setValue(world.room.name, 'checkpoint', checkpoint)
  const prompt = () => world.turns.prompt({ room: world.room, person: world.ann, model: 'qwen' })
  expect((await prompt()).context).not.toContain('old')
  await talk(world, 3, 'after')
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect(asked(memo)[1]).not.toContain('before')
  expect((await prompt()).context).toContain('  new')
})

it('a failed summary is reported once to admins, and retried later', async () => {
  const broken = fail(new ModelError('the server is down', false))
  const { world, memo } = await remembering([broken, broken, say('at last')])
  await using _ = world
  const root = await world.chatParts.person('root', { admin: true })
  const screens = [screenOf(root), screenOf(world.ann)] as const
  for (const screen of screens) await world.room.enter(screen)
  const told = screens.map(
    (screen) => () => screen.texts().filter((text) => text.includes('could not be made')),
  )
  await talk(world, 160)
  await memo.arrived(1)
  await idle(world)
  const { clock } = world.chatParts
  expect((await world.summaries.status(world.room.name)).trouble).toContain('the server is down')
  await talk(world, 40)
  expect(memo.requests).toHaveLength(1)
  clock.advance(60_000)
  await memo.arrived(2)
  await idle(world)
  clock.advance(300_000)
  await memo.arrived(3)
  await idle(world)
  expect(told[0]!()).toEqual([
    'the summary of lobby could not be made: the server is down; it is tried again in 1m',
  ])
  expect(told[1]!()).toEqual([])
  expect(await current(world)).toMatchObject({ text: 'at last' })
  expect((await world.summaries.status(world.room.name)).trouble).toBeUndefined()
  expect((await world.log()).filter(({ text }) => text.includes('could not be made'))).toEqual([])
})

it('a renewed summary that is stopped is not stored', async () => {
  const { world, memo } = await remembering([hangs('half'), say('whole')])
  await using _ = world
  await talk(world, 3)
  expect(world.summaries.stop(world.room.name)).toBe(false)
  await world.summaries.renew(world.room.name)
  await memo.arrived(1)
  expect(world.summaries.stop(world.room.name)).toBe(true)
  await idle(world)
  expect(await current(world)).toBeUndefined()
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect(await current(world)).toMatchObject({ text: 'whole' })
})

it("a summary is not made if the room's quota is used up or its model does not exist", async () => {
  const { world, memo } = await remembering([say('one')], { limits: { tokens_per_room_day: 5 } })
  await using _ = world
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await idle(world)
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect((await world.summaries.status(world.room.name)).trouble).toContain('tokens_per_room_day')
  await world.chatParts.storage.chat.rooms.setValue(world.room.name, 'summarizer', '@gone')
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect((await world.summaries.status(world.room.name)).trouble).toContain('no model called @gone')
  await world.chatParts.storage.chat.rooms.setValue(world.room.name, 'summarizer', 'none')
  await expect(world.summaries.renew(world.room.name)).rejects.toThrow('no model writes summaries here')
  expect(memo.requests).toHaveLength(1)
})

it('the text of a summary is sanitized and cut between characters', async () => {
  const family = '👩‍👩‍👧'
  const { world } = await remembering([say(`\u001b[2Jfine\n${family.repeat(2_000)}`)])
  await using _ = world
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await idle(world)
  const text = (await current(world))?.text ?? ''
  expect(text.length).toBeLessThanOrEqual(6_000)
  expect(text.replaceAll(family, '')).toBe('fine\n')
})

it('a fork of a room has no summary', async () => {
  const { world } = await remembering([say('private things')])
  await using _ = world
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await idle(world)
  const { rooms, storage } = world.chatParts
  await rooms.fork(world.room, 'copy', world.ann, { private: false })
  expect(await storage.prompts.summaries.versions('copy' as RoomName)).toEqual([])
  expect(await storage.models.turns.unfinished()).toEqual([])
})

it('a pending summary request is aborted when another summarizer is named, which makes the summary', async () => {
  const other = scriptedModel(say('by other'))
  const { world, memo } = await remembering([hangs('half')])
  await using _ = world
  const { storage } = world.chatParts
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await memo.arrived(1)
  expect(await world.summaries.status(world.room.name)).toMatchObject({ working: true, asked: 'memo' })
  world.models.push({
    settings: sampleConfig({ name: 'other', backend: 'openai-compatible' }),
    adapter: other,
  })
  await storage.chat.rooms.setValue(world.room.name, 'summarizer', 'other')
  await world.summaries.summarizerChanged(world.room.name)
  await idle(world)
  expect(await current(world)).toMatchObject({ text: 'by other', author: 'other' })
  const query = { room: world.room.name, since: 0, by: 'model' } as const
  expect(await storage.models.charges.usage(query)).toContainEqual(
    expect.objectContaining({ key: 'memo', requests: 1, output: 1, estimated: expect.anything() as unknown }),
  )
})

it('a reload aborts a pending summary request only if it removes or changes the model', async () => {
  const { world, memo } = await remembering([hangs(), hangs(), hangs()])
  await using _ = world
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await memo.arrived(1)
  await world.summaries.configChanged()
  expect(await world.summaries.status(world.room.name)).toMatchObject({ asked: 'memo' })
  const settings = sampleConfig({ name: 'memo', backend: 'openai-compatible', maxOutput: 77 })
  world.models.splice(1, 1, { settings, adapter: memo })
  await world.summaries.configChanged()
  await memo.arrived(2)
  world.models.splice(1, 1)
  await world.summaries.configChanged()
  await idle(world)
  expect((await world.summaries.status(world.room.name)).trouble).toContain('no model called @memo')
  expect(memo.requests).toHaveLength(2)
})

it('a summary starts as soon as a valid summarizer is named, and the earlier error is cleared', async () => {
  const { world } = await remembering([say('one')], { summarizer: 'gone' })
  await using _ = world
  await talk(world, 160)
  await idle(world)
  expect((await world.summaries.status(world.room.name)).trouble).toContain('no model called @gone')
  await world.chatParts.storage.chat.rooms.setValue(world.room.name, 'summarizer', 'memo')
  await world.summaries.summarizerChanged(world.room.name)
  await idle(world)
  expect(await current(world)).toMatchObject({ text: 'one' })
  expect((await world.summaries.status(world.room.name)).trouble).toBeUndefined()
})

it.each([
  ['gone', 'there is no model called @gone; name another one with /kv summarizer NAME'],
  ['@qwen', '@qwen is a rule-based helper and cannot sum up; name another one with /kv summarizer NAME'],
  ['', 'summarizer is the name of a model, or none; /models lists those that there are'],
  [5, 'summarizer is the name of a model, or none; /models lists those that there are'],
  [{ a: 1 }, 'summarizer is the name of a model, or none; /models lists those that there are'],
])('the summarizer cannot be set to %j', async (value, sentence) => {
  const { world } = await remembering([])
  await using _ = world
  expect(() => world.summaries.checkName(value)).toThrow(sentence)
  for (const good of ['memo', '@memo', 'none']) world.summaries.checkName(good)
})

it('a model with a tiny window makes no summary and reports the missing space', async () => {
  const { world, memo } = await remembering([])
  await using _ = world
  const tiny = sampleConfig({
    name: 'memo',
    backend: 'openai-compatible',
    contextWindow: 700,
    maxOutput: 100,
  })
  world.models.splice(1, 1, { settings: tiny, adapter: memo })
  await talk(world, 3)
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect((await world.summaries.status(world.room.name)).trouble).toMatch(
    /memo: beside the summary, a request has space for \d+ tokens of conversation, and needs 400/,
  )
  expect(memo.requests).toHaveLength(0)
})

it('the tiny window of another model does not split the summary into many requests', async () => {
  const { world, memo } = await remembering([...Array.from({ length: 4 }, () => say('so far'))])
  await using _ = world
  const small = sampleConfig({
    name: 'small',
    backend: 'openai-compatible',
    contextWindow: 1500,
    maxOutput: 300,
  })
  world.models.push({ settings: small, adapter: scriptedModel() })
  await talk(
    world,
    120,
    'twenty words or so that somebody says in a room where others listen to it, again and again,',
  )
  await idle(world)
  expect(memo.requests.length).toBeLessThan(5)
})

it('summary requests of a room are delayed after 60 in a row, without delaying other rooms', async () => {
  const clock = handClock()
  const pace = createPiecePace(clock)
  const { signal } = new AbortController()
  for (let piece = 0; piece < 60; piece++) await pace('lobby' as RoomName, signal)
  let isNext = false
  const next = pace('lobby' as RoomName, signal).then(() => (isNext = true))
  await pace('den' as RoomName, signal)
  expect(isNext).toBe(false)
  clock.advance(2_000)
  await next
  await expect(pace('lobby' as RoomName, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})

it('a summary request contains a tool call together with its result', async () => {
  const { world, memo } = await remembering([say('done')], { tools: [tool('peek')] })
  await using _ = world
  await world.room.record({
    ...{ kind: 'tool_call', author: 'ann', text: '', call: 'c1', name: 'peek', arguments: {} },
    requester: 'ann',
  })
  await talk(world, 1)
  await world.room.record({
    ...{ kind: 'tool_result', author: 'ann', text: 'seen', call: 'c1', name: 'peek' },
    ...{ isError: false, durationMs: 1, bytes: 4 },
  })
  await world.summaries.renew(world.room.name)
  await idle(world)
  expect(asked(memo)[0]).toContain('ann called peek {}\n  result of peek: seen\nann: says a thing 0')
})

const versionsOf = (world: TurnWorld) => world.chatParts.storage.prompts.summaries

it('a summary that covers a retracted entry is replaced by the version before it', async () => {
  const { world, memo } = await remembering([say('old things'), say('a secret'), say('nothing secret')])
  await using _ = world
  await talk(world, 160)
  await memo.arrived(1)
  await idle(world)
  await talk(world, 100, 'later')
  await memo.arrived(2)
  await idle(world)
  const { room, summaries } = world
  const entry = (await current(world))!.last
  let recorded: string | undefined
  await summaries.forget(room.name, entry, async () => {
    recorded = (await current(world))?.text
    await room.record({ kind: 'notice', level: 'info', author: 'ann', text: 'back', retracts: entry })
  })
  expect(recorded).toBe('old things')
  await memo.arrived(3)
  await idle(world)
  expect(asked(memo)[2]).toContain('## The summary so far\n  old things\n')
  expect(asked(memo)[2]).not.toContain('a secret')
  const { text } = (await world.log()).find(({ id }) => id === entry)!
  expect(asked(memo)[2]).not.toContain(`${text}\n`)
  expect(await current(world)).toMatchObject({ version: 4, text: 'nothing secret' })
  // What was made from the line is not taken for clean later.
  await summaries.forget(room.name, (await current(world))!.last, async () => undefined)
  expect((await versionsOf(world).current(room.name))?.text).toBe('old things')
})

it('a summary without a version before the retracted entry is cleared, and a pending one is stopped', async () => {
  const { world, memo } = await remembering([say('a secret'), hangs(), say('whole')])
  await using _ = world
  await talk(world, 160)
  await memo.arrived(1)
  await idle(world)
  await talk(world, 100, 'later')
  await memo.arrived(2)
  const { room, summaries } = world
  await summaries.forget(room.name, (await current(world))!.first, async () => undefined)
  await memo.arrived(3)
  await idle(world)
  expect(asked(memo)[2]).not.toContain('a secret')
  const texts = (await versionsOf(world).versions(room.name)).map(({ text }) => text)
  expect(texts).toContain('')
  expect(texts.at(-1)).toBe('a secret')
})

it('a summary that does not cover the retracted entry is unchanged', async () => {
  const { world, memo } = await remembering([say('old things')])
  await using _ = world
  await talk(world, 160)
  await memo.arrived(1)
  await idle(world)
  const { room, summaries } = world
  await summaries.forget(room.name, (await world.log()).at(-1)!.id, async () => undefined)
  expect(await current(world)).toMatchObject({ version: 1, text: 'old things' })
  expect(memo.requests).toHaveLength(1)
})
