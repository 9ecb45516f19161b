import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paths } from '../../src/app/paths.ts'
import { calls, says } from '../support/model-server.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

/** The script of docs/wrap.md, as it is on the page. */
const page = await readFile(join(paths.root, 'docs/wrap.md'), 'utf8')
const [, example = ''] = /^## A tools layer of your own\n[^]*?^```lua\n([^]*?)^```$/m.exec(page) ?? []

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere('context_window = 8000\n', { isShared: true })
  await stage.claim('rhea')
  expect(await out(['script', 'lobby', 'set'], example)).toContain('version 1')
})
afterAll(() => stage[Symbol.asyncDispose]())

async function out(words: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as('rhea', words, input === undefined ? {} : { input })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

interface Wrapped {
  readonly budget: { readonly target: number; readonly used: number; readonly tools: number }
  readonly layers: readonly { readonly name: string; readonly tokens: number; readonly status: string }[]
  readonly tools: readonly { readonly name: string; readonly form: string }[]
}

/** What the model was sent last. */
function lastRequest() {
  const { messages = [], tools = [] } = stage.models.requests.at(-1)?.body ?? {}
  return { system: String(messages[0]?.content), names: tools.map((tool) => tool.function.name) }
}

test("the text of a room's own tools layer is read by the model beside the definitions, and is counted", async () => {
  stage.models.play(says('hello'))
  await out(['ask', 'lobby', '@qwen', 'hello?'])
  const { system, names } = lastRequest()
  expect(system).toContain('## What you can call here\n')
  expect(system).not.toContain('## Your Functions')
  expect(system).toMatch(/^- calculator\(expression, precision\): /m)
  expect(names).toContain('calculator')
  const { budget, layers, tools } = JSON.parse(await out(['wrap', 'lobby', '@qwen', '--json'])) as Wrapped
  const layer = layers.find(({ name }) => name === 'tools')
  expect(layer?.status).toBe('kept')
  expect(layer?.tokens).toBeGreaterThan(budget.tools)
  expect(budget.used).toBeLessThanOrEqual(budget.target)
  const loaded = tools.filter(({ form }) => form !== 'deferred').map(({ name }) => name)
  expect(names.toSorted()).toEqual(loaded.toSorted())
})

test("the room's scope holds for a tools layer of the script", async () => {
  await out(['tools', 'lobby', 'calculator'])
  stage.models.play(calls('look', {}), says('I could not look'))
  await out(['ask', 'lobby', '@qwen', 'look around'])
  const { system, names } = lastRequest()
  expect(names).toEqual(['calculator'])
  expect(system.match(/^- \w+\(.*\): /gm)).toHaveLength(1)
  expect(JSON.stringify(stage.models.requests.at(-1)?.body.messages.at(-1))).toContain(
    "we only have these tools: 'calculator'",
  )
})
