import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { composePrompt } from '../../../src/wrap/compose-prompt.ts'
import type { LuaEngine } from '../../../src/wrap/ports.ts'
import type { Prompt } from '../../../src/wrap/prompt.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import { rawServer } from '../../support/mcp/raw-servers.ts'
import { calls, says } from '../../support/model-server.ts'
import type { AnyServer } from '../../support/server.ts'
import { catalogue, sampleSnapshot, sampleTool, snapshotFor } from '../../support/snapshot.ts'
import { createModelStageHere, type ModelStage } from '../../support/stage.ts'
import { tokenCounters } from '../../support/token-counters.ts'
import { fixture, lastReply, openEngines, rhea, sentTools } from './support.ts'

let stage: ModelStage<AnyServer>
let engines: readonly LuaEngine[] = []
beforeAll(async () => {
  engines = await openEngines()
  stage = await createModelStageHere('[[mcp]]\nname = "asleep"\ncommand = ["/bin/false"]\n', {
    isShared: true,
  })
  await stage.claim('rhea')
  await rhea(stage, 'mcp', 'connect', 'holler', ...rawServer('usual'))
})
afterAll(async () => {
  engines.forEach((engine) => engine.close())
  await stage[Symbol.asyncDispose]()
})

const counter = tokenCounters.of('o200k_base')
const tools = catalogue(
  sampleTool('garden_water'),
  sampleTool('garden_weed'),
  sampleTool('sshawl_look', { group: 'internal', source: 'internal' }),
)
/** A snapshot of a room that has these three tools and key-values. */
const room = (values: Snapshot['room']['values'] = {}, target = 8000): Snapshot =>
  snapshotFor(target, { tools, room: { ...sampleSnapshot().room, values } })

/** The prompt that every Lua engine composes, with the bundled layers or a script of ours. */
async function compose(snapshot: Snapshot, script?: string): Promise<Prompt> {
  const source = script && (await readFile(fixture(`lua/${script}.lua`), 'utf8'))
  const given = source ? { ...snapshot, script: { source, version: 1 } } : snapshot
  const [first, ...others] = engines.map((engine) => composePrompt(given, engine, counter))
  for (const other of others) expect(other).toEqual(first)
  return first!
}
/** The lines of the tools that a scope gives in Lua. */
const listed = async (wanted?: string | readonly string[]): Promise<string> =>
  (await compose(room(wanted === undefined ? {} : { wanted }), 'list-scope')).system
const namesIn = (prompt: Prompt): string => prompt.tools.map(({ name }) => name).join()

/** Sets the scope of the lobby, mentions the model, and gives the names of the tools that it was sent. */
async function mentionedWith(...scope: readonly string[]): Promise<readonly string[]> {
  await rhea(stage, 'tools', 'lobby', ...scope)
  stage.models.play(says('fine'))
  await rhea(stage, 'ask', 'lobby', '@qwen', 'hello')
  return sentTools(stage)
}

test('tools.available_tools("all") gives the name, the description and the schema of each tool', async () => {
  expect(await listed('all')).toBe(
    [
      'garden_water = Does what garden_water says. (object)',
      'garden_weed = Does what garden_weed says. (object)',
      'look = Does what sshawl_look says. (object)',
    ].join('\n'),
  )
})

test('tools.available_tools gives no tool for "none", and all tools without a scope', async () => {
  expect(await listed('none')).toBe('')
  expect(await listed()).toBe(await listed('all'))
})

test('tools.available_tools with globs gives the tools whose name or id matches one of them', async () => {
  expect(await listed(['garden_wa*', 'sshawl_look'])).toMatch(/^garden_water = .*\nlook = .*$/)
})

test('the tools layer lists each tool with its description and without the prefix sshawl_', async () => {
  const { system } = await compose(room())
  expect(system).toContain('## Your Functions\n')
  expect(system).toContain('\n- **garden_water**: Does what garden_water says.')
  expect(system).toContain('\n- **look**: Does what sshawl_look says.')
})

test('tool definitions count in the token budget, and the prompt stays within its target', async () => {
  const { budget, layers } = await compose(room())
  expect(layers.find(({ name }) => name === 'tools')!.tokens).toBeGreaterThan(budget.tools)
  expect(budget.tools).toBeGreaterThan(0)
  const small = await compose({ ...room({}, 600), toolsShare: 0.05 })
  expect(small.budget.used).toBeLessThanOrEqual(600)
  expect(small.tools.map(({ form }) => form)).not.toContain('full')
})

test('a model gets only the definitions of the tools in the tools layer of its prompt', async () => {
  const { tools: sent, system } = await compose(room(), 'few-tools')
  expect(sent.map(({ definition }) => definition!.name)).toEqual(['garden_water', 'garden_weed'])
  expect(system).not.toContain('look')
})

test('a prompt without a tools layer sends no tools', async () => {
  expect(await compose(room(), 'no-tools')).toMatchObject({ tools: [], budget: { tools: 0 } })
})

test('the scope of a room is its key-value tool_scope, and "all" if it is not set', async () => {
  expect(namesIn(await compose(room()))).toBe('garden_water,garden_weed,look')
  expect(namesIn(await compose(room({ tool_scope: ['*weed'] })))).toBe('garden_weed')
  expect(namesIn(await compose(room({ tool_scope: 'none' })))).toBe('')
})

test('a prompt with an empty tool scope has no tools layer', async () => {
  const { layers, system } = await compose(room({ tool_scope: 'none' }))
  expect(layers.map(({ name }) => name)).not.toContain('tools')
  expect(system).not.toContain('Your Functions')
})

test('/tools lists the tools that the models of the room have', async () => {
  const sent = await mentionedWith('on')
  const list = await rhea(stage, 'tools', 'lobby', '--list', 'all')
  expect(sent).toContain('holler_echo')
  for (const name of sent) expect(list).toContain(name)
})

test('/tools off removes the tools of models in one room only, and /tools on restores them', async () => {
  expect(await mentionedWith('off')).toEqual([])
  await rhea(stage, 'create', 'shed')
  stage.models.play(says('fine'))
  await rhea(stage, 'ask', 'shed', '@qwen', 'hello')
  expect(sentTools(stage)).toContain('calculator')
  expect(await mentionedWith('on')).toContain('calculator')
})

test('/tools internal leaves only the room tools, and /tools SERVER only those of that server', async () => {
  expect(await mentionedWith('internal')).toEqual(expect.arrayContaining(['look', 'say', 'history']))
  expect(sentTools(stage)).not.toContain('calculator')
  const holler = await mentionedWith('holler')
  expect(holler.filter((name) => !name.startsWith('holler_'))).toEqual([])
  expect(holler).toContain('holler_echo')
})

test('the name of an MCP server that is down is a scope without tools', async () => {
  const { exitCode, stderr } = await stage.as('rhea', ['tools', 'lobby', 'asleep'])
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('the MCP server asleep is down')])
  expect(await mentionedWith('asleep')).toEqual([])
})

test('a script may word the tools layer itself', async () => {
  const { system, tools: sent } = await compose(room(), 'own-layer')
  expect(sent.map(({ definition }) => definition!.name)).toEqual(['garden_water', 'garden_weed', 'look'])
  expect(system).toContain('You may ask for garden_water\nYou may ask for garden_weed\nYou may ask for look')
  expect(system).not.toContain('Your Functions')
})

test('a tool that the scope hides cannot be called', async () => {
  await rhea(stage, 'tools', 'lobby', 'look')
  stage.models.play(calls('calculator', { expression: '1' }), says('sorry'))
  await rhea(stage, 'ask', 'lobby', '@qwen', 'count')
  expect(lastReply(stage)).toMatch(/^ERROR: You requested a tool called 'calculator', however we only have/)
})
