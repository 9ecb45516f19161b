import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName, TurnId } from '../../../../src/words/entry.ts'
import { lastStep } from '../../../../src/commands/pages/turn.ts'
import { requestText } from '../../../../src/commands/verbs/turn-requests.ts'
import { createCommandWorld, jsonOf, misused, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'

/** A turn of two requests in hall, its id, and the ids of its entries. */
async function createScene() {
  const world = await createCommandWorld(tool('echo'))
  const { out } = await world.exec(world.bob, 'ask hall --json qwen call echo {"q":"x"}')
  const entries = out.map((line) => JSON.parse(line) as { readonly id: string; readonly turn?: string })
  return { world, id: entries.at(-1)?.turn ?? '', entries }
}

test('/turn shows every request, and unchanged parts only by name', async () => {
  const { world, id } = await createScene()
  await using _ = world
  const { out } = await world.type(world.ann, `turn ${id}`)
  expect(out[0]).toBe(`-- turn ${id}: @qwen for bob: done; 2 requests`)
  expect(out[1]).toMatch(/^-- request 1\n-- system\n… \[\d+ characters; full prints all\]\n-- conversation\n/)
  expect(out[1]).toMatch(/\n-- question\n.*call echo/)
  expect(out[2]).toMatch(/^-- request 2\n-- system: as before\n/)
  expect(out[2]).toContain('-- result of echo\n{"q":"x"}')
  expect(out[3]).toMatch(/^-- answer\n/)
})

test('/turn shows how much of a request equals the previous request to the same model', async () => {
  const { world } = await createScene()
  await using _ = world
  await world.exec(world.ann, 'ask hall qwen hello')
  const { out } = await world.type(world.bob, 'turn')
  const [, share] = /; 1 request; same as before: (\d+) %$/.exec(out[0] ?? '') ?? []
  expect(Number(share)).toBeGreaterThan(80)
  expect(Number(share)).toBeLessThan(100)
})

test('/turn shows a single request, also as JSON', async () => {
  const { world, id } = await createScene()
  await using _ = world
  expect((await world.type(world.ann, `turn ${id} 1`)).out).toHaveLength(4)
  expect(jsonOf(await world.exec(world.ann, `turn hall --json ${id} 1`))).toMatchObject({
    id,
    model: 'qwen',
    requests: [{ request: 1 }],
  })
})

test('/turn finds the last turn and the turn of an entry', async () => {
  const { world, id, entries } = await createScene()
  await using _ = world
  const whole = await world.exec(world.ann, `turn hall ${id}`)
  expect(whole.out).toHaveLength(4)
  for (const words of ['', 'last', 'full', 'last full', `${id} full`])
    expect(await world.exec(world.ann, `turn hall ${words}`)).toEqual(whole)
  const [question, ...ofTurn] = entries
  for (const entry of ofTurn) expect(await world.exec(world.ann, `turn hall ${entry.id}`)).toEqual(whole)
  const asked = question?.id ?? ''
  expect(await world.exec(world.ann, `turn hall ${asked}`)).toEqual(
    refused(`there is no turn ${asked} in hall, and no entry of a turn`),
  )
  expect(await world.type(world.ann, 'turn', 'lobby')).toEqual(refused('no model was asked in lobby yet'))
})

test('/turn in a session folds long texts into pages unless full is given', async () => {
  const { world } = await createScene()
  await using _ = world
  const { storage, nextId } = world.turnWorld.chatParts
  const id = nextId() as TurnId
  const prompt = await world.turnWorld.turns.prompt({
    room: await world.turnWorld.chatParts.rooms.get('hall', world.ann),
    person: world.ann,
    model: 'qwen',
  })
  const facts = { id, room: 'hall' as RoomName, model: 'qwen', requester: 'bob' }
  await storage.models.turns.begin({ ...facts, startedAt: world.turnWorld.chatParts.clock.now() + 1 })
  await storage.models.turns.finish(id, { prompt })
  const line = 'a line\n'
  for (let step = 0; step < 19; step++) {
    const content = `${step}: ${line.repeat(50)}`
    await storage.models.turns.addStep(id, {
      messages: [{ role: 'tool', call: `${step}`, name: 'echo', content }],
    })
  }
  const page = (await world.type(world.ann, 'turn')).out
  expect(page[1]).toMatch(/^-- request 1\n/)
  const next = /^-- (\d+) more requests: \/(turn \S+ (\d+))$/.exec(page.at(-1) ?? '')
  expect(Number(next?.[1]) + Number(next?.[3])).toBe(21)
  expect(page.join('\n').split('\n').length).toBeLessThan(130)
  const further = (await world.type(world.ann, next?.[2] ?? '')).out
  expect(page[1]).toMatch(/-- tools\necho\n… \[\d+ characters; full prints all\]$/)
  expect(further[1]).toContain(`-- request ${next?.[3]}\n`)
  expect(further.join('\n')).toMatch(/a line\n… \[\d+ more characters; full prints all\]/)
  const full = (await world.type(world.ann, 'turn last full')).out
  expect(full).toHaveLength(21)
  expect(full.at(-1)).toContain(`-- result of echo\n18: ${line.repeat(49)}`)
  expect(await world.exec(world.ann, 'turn hall')).toMatchObject({ out: full })
})

test.each(['0', '3', 'x', '1.0', 'x'.repeat(30)])('/turn rejects the request number %s', async (number) => {
  const { world, id } = await createScene()
  await using _ = world
  expect(await world.type(world.ann, `turn ${id} ${number}`)).toEqual(
    misused(
      `turn: there is no request ${number.slice(0, 20)}; requests are 1 to 2`,
      '/turn [--json] [--html] [ID] [REQUEST] [FULL]',
    ),
  )
})

test("the last step of a stopped turn shows the model's text so far, then the reason for the stop", () => {
  const base = { id: '1' as EntryId, at: 0, room: 'hall' as RoomName, author: 'qwen', turn: 't' as TurnId }
  const result = { call: 'c', name: 'echo', isError: false, durationMs: 1, bytes: 1, text: '{}' }
  const entries: readonly Entry[] = [
    { ...base, kind: 'reply', text: 'let me look' },
    { ...base, ...result, kind: 'tool_result' },
    { ...base, kind: 'reply', text: 'it is half' },
    { ...base, kind: 'notice', level: 'info', text: 'bob stopped @qwen' },
  ]
  expect(lastStep(entries).map(({ text }) => text)).toEqual(['it is half', 'bob stopped @qwen'])
})

test('/turn refuses unknown ids and ids of another room', async () => {
  const { world, id, entries } = await createScene()
  await using _ = world
  for (const unknown of [id, entries.at(-1)?.id ?? '', 'x'.repeat(99), '__proto__'])
    expect(await world.type(world.ann, `turn ${unknown}`, 'lobby')).toEqual(
      refused(`there is no turn ${unknown.slice(0, 40)} in lobby, and no entry of a turn`),
    )
})

const foldedUser = (user: string, question: string): string | undefined => {
  const now = { system: '', user, messages: [], tools: [] }
  return requestText({ number: 1, question, now, before: undefined }, 20)
    .split('full prints all]\n')
    .slice(1)
    .join('full prints all]\n')
    .split('-- tools')[0]
}

const folded = (question: string): string | undefined => foldedUser(question, question)

test('a folded conversation shows its end, followed by the question', () => {
  const said = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
  expect(foldedUser(`${said}\n\nwhy?`, 'why?')).toBe(
    `-- conversation\n… [182 characters before; full prints all]\n${said.split('\n').slice(-6).join('\n')}\n-- question\nwhy?\n`,
  )
})

test('a folded part of a prompt is cut at its limit of characters', () => {
  expect(folded('x'.repeat(200))).toContain(`${'x'.repeat(120)}\n… [80 more`)
})
