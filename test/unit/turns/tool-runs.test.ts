import { expect, it } from 'vitest'
import { createByteQuota } from '../../../src/chat/limits.ts'
import { CALL_CANCELLED, Refusal, SERVER_STOPPING } from '../../../src/words/errors.ts'
import type { Workspace } from '../../../src/tools/workspace.ts'
import { ok } from '../../../src/tools/results/result.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { createCatalogue } from '../../../src/wrap/toolbox/catalogue.ts'
import { ToolRunner } from '../../../src/wrap/toolbox/run-tool.ts'
import { createScopedTools } from '../../../src/turns/scoped-tools.ts'
import { createToolboxes } from '../../../src/turns/room-toolbox.ts'
import { ToolRuns } from '../../../src/turns/tool-runs.ts'
import { createChatParts } from '../../support/chat-parts.ts'
import { tool } from '../../support/turn-world.ts'

/** Tools that use no files are given none. */
const workspace = {} as Workspace

async function createScene(...tools: readonly Tool[]) {
  const { rooms, storage, peers, clock, log, nextId, person, sanctions } = await createChatParts()
  const room = await rooms.lobby()
  const ann = await person('ann')
  const gone = new AbortController()
  const catalogue = createCatalogue({
    sources: [{ group: 'builtin', name: 'builtin', tools: () => tools }],
    disabled: [],
    log,
  })
  const scopedTools = createScopedTools(catalogue, storage.chat.rooms)
  const bytes = createByteQuota({ bytes_per_person_day: 20_000 }, clock)
  const runner = new ToolRunner({ timeoutMs: 60_000, outputLines: 10, outputBytes: 1000 }, log)
  const openToolbox = createToolboxes({
    scopedTools,
    runner,
    permissions: { request: async () => 'deny' },
    workspaces: { of: () => workspace },
    results: storage.tools.results,
    bytes,
    clock,
    hooks: { beforeToolCall: async () => undefined },
  })
  const runs = new ToolRuns(openToolbox, nextId, clock, peers.slots)
  const run = (name: string, args = '{}', by = ann) =>
    runs.run({ room, person: by, tool: name, args, signal: gone.signal })
  const entries = () => storage.chat.entries.read(room.name, { limit: 100 })
  return { room, ann, gone, runs, run, entries, storage, person, bytes, sanctions }
}

/** Runs until it is stopped. */
const endless = tool(
  'endless',
  (_args, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok('ended')), { once: true })),
)

it('a tool run of a person counts its log entries but not its stored result in their byte quota', async () => {
  const long = tool('long', () => ok('x'.repeat(500_000)))
  const { run, bytes, person, ann } = await createScene(long)
  const bob = await person('bob')
  await run('long')
  bytes.take(ann, 8_000)
  await run('long')
  expect(() => bytes.take(ann, 1)).toThrow('you have stored as much as one person may store in a day')
  bytes.take(bob, 20_000)
})

it('a tool run of a person gives the tool that person and their role, but no turn', async () => {
  const look = tool('look_at', (_args, context) =>
    ok(JSON.stringify([context.requester.person.name, context.requester.role, 'turn' in context.chat])),
  )
  const { run, entries } = await createScene(look)
  expect(await run('look_at')).toMatchObject({ text: '["ann","member",false]', author: 'ann' })
  expect((await entries()).map((entry) => entry.kind)).toEqual(['tool_call', 'tool_result'])
})

it('progress of a tool run is visible until the run ends, and later progress is ignored', async () => {
  let late = (): void => undefined
  const { run, runs, room } = await createScene(
    tool('index', (_args, { progress }) => {
      progress?.({ share: 0.5, text: '' })
      expect(runs.running()[0]?.progress()).toEqual({ share: 0.5, text: '' })
      progress?.({ share: 1, text: '' })
      late = () => progress?.({ share: 1, text: 'late' })
      return ok('done')
    }),
  )
  const seen: unknown[] = []
  room.listen({
    deliver(entry) {
      late()
      if (entry.kind === 'tool_result') seen.push(runs.running()[0]?.doing(), runs.running()[0]?.progress())
    },
    stream() {},
    peopleChanged() {},
  })
  await run('index')
  expect(seen).toEqual(['index', undefined])
})

it('a tool run of a person is refused for tools outside the scope or the role', async () => {
  const writes = tool('writes', undefined, { access: 'write' })
  const { run, storage, room, ann } = await createScene(tool('Grep'), tool('sshawl_look'), writes)
  const guest = { ...ann, guest: true }
  const unknown = (name: string) => new Refusal(`no tool ${name}; /tools lists those of this room`)
  await expect(run('writes', '{}', guest)).rejects.toEqual(unknown('writes'))
  await storage.chat.rooms.setValue(room.name, 'tool_scope', ['look'])
  for (const name of ['Grep', 'sshawl_look', 'constructor', '__proto__', ''])
    await expect(run(name)).rejects.toEqual(unknown(name))
  expect(await run('look')).toMatchObject({ isError: false, tool: 'sshawl_look' })
})

it('find_tools shows the matching tools that the person can run, with their parameters', async () => {
  const schema = {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'What it is called' },
      state: { enum: ['open', 'closed'] },
      [`odd\u001b[31m\nkey`]: {},
    },
    required: ['title'],
  }
  const issue = tool('hub_create_issue', undefined, {
    description: 'Opens an issue. It is given a number.',
    schema,
  })
  const hidden = tool('hub_delete_issue')
  const others = Array.from({ length: 30 }, (_, index) => tool(`issue_${index}`))
  const { run, entries, storage, room } = await createScene(issue, hidden, tool('look'), ...others)
  await storage.chat.rooms.setValue(room.name, 'tool_scope', ['!hub_delete_issue'])
  const { text, isError } = await run('find_tools', '{"query":"create an issue"}')
  expect(isError).toBe(false)
  const [first, about] = text.split('\n')
  expect(first).toBe('hub_create_issue {title: string, state?: "open"|"closed", odd key?: any}')
  expect(about).toBe('    Opens an issue.')
  expect(text).not.toContain('hub_delete_issue')
  expect((await entries()).at(-1)).toMatchObject({ kind: 'tool_result', tool: 'find_tools', text })
  expect((await run('find_tools', '{"query":"issue"}')).text).toMatch(
    /\n… and 21 more; say more of what you need$/,
  )
  expect((await run('find_tools', '{"query":"weather"}')).text).toBe(
    'No tool matches "weather"; try other words.',
  )
  for (const args of ['{}', '{"query":" "}', '{"query":["x"]}'])
    expect(await run('find_tools', args)).toMatchObject({
      isError: true,
      text: 'ERROR: find_tools: query must be a text',
    })
  await storage.chat.rooms.setValue(room.name, 'tool_scope', 'none')
  await expect(run('find_tools', '{"query":"issue"}')).rejects.toEqual(
    new Refusal('no tool find_tools; /tools lists those of this room'),
  )
})

it('a tool run with an unknown name is refused with a suggestion and is not recorded', async () => {
  const many = Array.from({ length: 300 }, (_, index) => tool(`hub_tool_${index}`))
  const { run, entries } = await createScene(tool('hub_create_issue'), ...many, tool('calculator'))
  for (const [name, meant] of [
    ['calcluator', 'calculator'],
    ['calc', 'calculator'],
    ['CALCULATOR', 'calculator'],
    ['create_issue', 'hub_create_issue'],
  ] as const)
    await expect(run(name)).rejects.toEqual(new Refusal(`no tool ${name}; did you mean ${meant}?`))
  await expect(run('x'.repeat(10_000))).rejects.toEqual(
    new Refusal(`no tool ${'x'.repeat(40)}; /tools lists those of this room`),
  )
  expect(await entries()).toEqual([])
})

it('a tool run ends when its person leaves, when it is stopped and when the server stops', async () => {
  const { run, runs, room } = await createScene(endless)
  const stopped = run('endless')
  expect(runs.running(room.name)).toMatchObject([{ tool: 'endless', requester: 'ann' }])
  runs.running(room.name)[0]!.cancel('bob stopped it')
  const last = run('endless')
  await runs[Symbol.asyncDispose]()
  const ended = 'ERROR: endless: stopped before it was done'
  expect((await stopped).text).toBe(`${ended}: bob stopped it`)
  expect((await last).text).toBe(`${ended}: the server is stopping`)
  expect(runs.running(room.name)).toEqual([])
  await expect(run('endless')).rejects.toThrow('the server is stopping')
  for (const [reason, why] of [
    [undefined, 'ann left'],
    [SERVER_STOPPING, 'the server is stopping'],
    [CALL_CANCELLED, 'the call was cancelled'],
  ] as const) {
    const other = await createScene(endless)
    const left = other.run('endless')
    other.gone.abort(reason)
    expect((await left).text).toBe(`${ended}: ${why}`)
  }
})

it('a tool run ends when its person is muted, and runs of others continue', async () => {
  const { run, runs, room, ann, person, sanctions } = await createScene(endless)
  const bob = await person('bob')
  const [hers, his] = [run('endless'), run('endless', '{}', bob)]
  await sanctions.put({
    ...{ id: 's1', kind: 'mute', room: room.name, who: 'ann', people: [ann.id], keys: [], network: null },
    ...{ reason: '', by: 'rhea', at: 0, until: null },
  })
  await runs.stopForbidden()
  expect((await hers).text).toBe('ERROR: endless: stopped before it was done: ann was muted')
  expect(runs.running().map(({ requester }) => requester)).toEqual(['bob'])
  await runs[Symbol.asyncDispose]()
  await his
})

it('a person has at most four tool runs at once', async () => {
  const { run, runs, person } = await createScene(endless)
  const four = [1, 2, 3, 4].map(() => run('endless'))
  await expect(run('endless')).rejects.toThrow(Refusal)
  await expect(run('endless')).rejects.toThrow('you have 4 tools at work already')
  const bob = await person('bob')
  const bobs = run('endless', '{}', bob)
  await runs[Symbol.asyncDispose]()
  await Promise.all([...four, bobs])
})
