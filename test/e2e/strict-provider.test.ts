import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawServer } from '../support/mcp/raw-servers.ts'
import { says, status, type Script } from '../support/model-server.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere()
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

/** True if each object of a schema says what its properties are. */
function isComplete(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  const { type, properties } = schema as { readonly type?: unknown; readonly properties?: unknown }
  if (type === 'object' && typeof properties !== 'object') return false
  return Object.values(schema).every(isComplete)
}

/** Answers as OpenAI does: a request with an object that names no properties is refused as a whole. */
const strictly: Script = (response, request) => {
  const tools = request.body.tools ?? []
  const isRefused = !tools.every((tool) => isComplete(tool.function.parameters))
  const refusal = status(400, 'Invalid schema for function: object schema missing properties')
  return (isRefused ? refusal : says('the tools are fine'))(response, request)
}

test('a provider that refuses objects without properties takes tools of an MCP server without arguments', async () => {
  const tools = [
    { name: 'now', description: 'Now.', inputSchema: { type: 'object' } },
    {
      name: 'set',
      description: 'Set.',
      inputSchema: { type: 'object', properties: { to: { type: 'object' } } },
    },
  ]
  const file = join(stage.dir, 'tools.json')
  await writeFile(file, JSON.stringify(tools))
  await stage.as('rhea', ['mcp', 'connect', 'bare', ...rawServer('usual', file)])
  stage.models.always(strictly)
  const { stdout } = await stage.as('rhea', ['ask', 'lobby', '@qwen', 'hello'])
  expect(stdout).toContain('the tools are fine')
  const sent = stage.models.requests.at(-1)!.body.tools!.map((tool) => tool.function)
  expect(sent.find(({ name }) => name === 'bare_now')!.parameters).toEqual({ type: 'object', properties: {} })
})
