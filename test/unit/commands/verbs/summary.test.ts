import { expect, test } from 'vitest'
import type { RoomName } from '../../../../src/words/entry.ts'
import type { ConfiguredModel } from '../../../../src/wrap/loop/model.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import {
  createCommandWorld,
  createCommandWorldWith,
  done,
  jsonOf,
  misused,
  refused,
  type CommandWorld,
} from '../../../support/commands/command-world.ts'

const memo = (...steps: readonly ScriptedStep[]): ConfiguredModel => ({
  settings: sampleConfig({ name: 'memo', backend: 'openai-compatible' }),
  adapter: scriptedModel(...steps),
})

const OFF = '-- no model writes summaries here; /kv summarizer NAME chooses one'
const FORM = '/summary [--json] [ACTION] [TEXT…]'

/** The hall with a summary by qwen, which the guide stands for. */
async function withSummary(world: CommandWorld): Promise<void> {
  await world.type(world.bob, 'say hello')
  const { storage } = world.turnWorld.chatParts
  const [entry] = await storage.chat.entries.read('hall' as RoomName, { limit: 1 })
  await storage.prompts.summaries.put({
    ...{ room: 'hall' as RoomName, text: 'bob said hello', first: entry!.id, last: entry!.id },
    ...{ author: 'qwen', at: world.turnWorld.chatParts.clock.now() },
  })
}

test('/summary says if the room has no summary, and which model writes summaries', async () => {
  await using world = await createCommandWorldWith({ more: [memo()] })
  expect(await world.type(world.bob, 'summary')).toEqual(done('there is no summary', OFF))
  await world.type(world.ann, 'kv summarizer memo')
  while ((await world.turnWorld.summaries.status('hall' as RoomName)).working) await new Promise(setImmediate)
  expect(await world.type(world.bob, 'summary show')).toEqual(
    done('there is no summary', '-- @memo sums up this room'),
  )
  expect(await world.exec(world.bob, 'summary hall versions')).toEqual(done('no summary was ever made'))
})

test('/summary keeps every version that a session, a pipe or /summary clear made', async () => {
  await using world = await createCommandWorld()
  await withSummary(world)
  const [entry] = await world.turnWorld.chatParts.storage.chat.entries.read('hall' as RoomName, { limit: 1 })
  const range = `of ${entry!.id} to ${entry!.id}`
  const first = `1  1 Jan 2026 00:00  qwen  14 characters, ${range}`
  expect(await world.type(world.bob, 'summary')).toEqual(done('  bob said hello', `-- ${first}`, OFF))
  expect(await world.type(world.ann, 'summary set bob said "hi"')).toEqual(done())
  expect(await world.exec(world.ann, 'summary hall set', 'from a\npipe\u001b[2J\n')).toEqual(
    done("ann changed the room's summary"),
  )
  expect(jsonOf(await world.exec(world.bob, 'summary --json hall'))).toEqual({
    room: 'hall',
    summary: expect.objectContaining({
      version: 3,
      author: 'ann',
      text: 'from a\npipe',
      at: '2026-01-01T00:00:00.000Z',
    }) as unknown,
    summarizer: null,
    working: false,
  })
  expect(await world.type(world.ann, 'summary clear')).toEqual(done())
  expect(await world.texts('hall')).toEqual(["ann cleared the room's summary"])
  expect(await world.type(world.bob, 'summary')).toEqual(done('there is no summary', OFF))
  const { out } = await world.type(world.bob, 'summary versions')
  expect(out.join('\n').split('\n')).toEqual([
    '4  1 Jan 2026 00:00  ann  cleared',
    `3  1 Jan 2026 00:00  ann  11 characters, ${range}`,
    `2  1 Jan 2026 00:00  ann  13 characters, ${range}`,
    first,
  ])
  expect((await world.type(world.bob, 'summary show 2')).out[0]).toBe('  bob said "hi"')
})

test('/summary new makes the chosen model write a summary in the background', async () => {
  await using world = await createCommandWorldWith({ more: [memo(say('bob greets'))] })
  await world.type(world.bob, 'say hello')
  await world.type(world.ann, 'kv summarizer memo')
  expect(await world.type(world.ann, 'summary new')).toEqual(
    done('the summary is made anew in the background; /summary shows how far it is'),
  )
  const { storage } = world.turnWorld.chatParts
  while (!(await storage.prompts.summaries.current('hall' as RoomName))) await new Promise(setImmediate)
  expect(await storage.prompts.summaries.current('hall' as RoomName)).toMatchObject({
    version: 1,
    author: 'memo',
  })
})

test('/summary indents its text so that no line looks like a speaker or the system', async () => {
  await using world = await createCommandWorld()
  await withSummary(world)
  await world.exec(
    world.ann,
    'summary hall set',
    'ok\n\n-- 99  qwen  5 characters\nalice: hi all\n-- alice joined',
  )
  const { out } = await world.type(world.bob, 'summary')
  expect(out[0]).toBe('  ok\n  \n  -- 99  qwen  5 characters\n  alice: hi all\n  -- alice joined')
})

test('/summary set works without an earlier summary and after /summary clear', async () => {
  await using world = await createCommandWorld()
  await world.type(world.bob, 'say hello')
  await world.type(world.bob, 'say again')
  expect(await world.type(world.ann, 'summary set they greet')).toEqual(done())
  const { storage } = world.turnWorld.chatParts
  const log = await storage.chat.entries.read('hall' as RoomName, { limit: 9, kinds: ['message'] })
  const { id } = log[0]!
  expect(await storage.prompts.summaries.current('hall' as RoomName)).toMatchObject({
    ...{ text: 'they greet', first: id, last: id },
  })
  await world.type(world.ann, 'summary clear')
  expect(await world.type(world.ann, 'summary set they greet still')).toEqual(done())
  expect((await world.type(world.bob, 'summary')).out[0]).toBe('  they greet still')
  expect(await world.exec(world.ann, 'summary lobby set x')).toMatchObject({ status: 1 })
})

test.each([
  ['new', 'no model writes summaries here; /kv summarizer NAME chooses one of /models'],
  ['clear', 'there is no summary'],
  ['set words', 'nothing was said here that could be summed up'],
  ['set', 'there is no text: write it after set, or pipe it in from a shell'],
  [`set ${'x'.repeat(8_001)}`, 'a summary has at most 8000 characters; this one has 8001'],
  ['show 7', 'hall has no summary version 7; /summary versions lists them'],
])('/summary %s is refused', async (words, sentence) => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, `summary ${words}`)).toEqual(refused(sentence))
})

test('/summary rejects extra words with its usage', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'summary new now')).toEqual(
    misused('summary: new takes nothing more', FORM),
  )
})
