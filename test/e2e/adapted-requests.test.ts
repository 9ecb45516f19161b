import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { says, type ChatRequest, type Script } from '../support/model-server.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { json } from '../support/ollama-wire.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

let stage: ModelStage
beforeAll(async () => {
  stage = await createModelStage()
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

const hasTool = ({ tools = [] }: ChatRequest, name: string): boolean =>
  tools.some((tool) => tool.function.name === name)

/** A reasoning model behind a strict gateway. */
function refusalOf(body: ChatRequest): string | undefined {
  if ('max_tokens' in body)
    return "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
  if ('stream_options' in body) return 'body.stream_options: Extra inputs are not permitted'
  if (body.messages[0]?.role === 'system') return 'System role not supported'
  return hasTool(body, 'calculator') ? "Invalid schema for function 'calculator'" : undefined
}

const strictly: Script = (response, request) => {
  const message = refusalOf(request.body)
  return (message === undefined ? says('all is well') : json({ error: { message } }, 400))(response, request)
}

const ask = async (): Promise<string> => (await stage.as('rhea', ['ask', 'lobby', '@qwen', 'hello'])).stdout

test('each part of a request that a server refuses is sent once, /models tells admins, and a reload forgets it', async () => {
  stage.models.always(strictly)
  expect(await ask()).toContain('all is well')
  expect(stage.models.requests).toHaveLength(5)
  expect(hasTool(stage.models.requests[0]!.body, 'calculator')).toBe(true)
  expect(await ask()).toContain('all is well')
  expect(stage.models.requests).toHaveLength(6)

  const { stdout } = await stage.as('rhea', ['models'])
  expect(stdout).toContain('no system message: it refused one (System role not supported)')
  expect(stdout).toContain("without max_tokens: it was refused (Unsupported parameter: 'max_tokens'")
  expect(stdout).toContain(
    'without stream_options: it was refused (body.stream_options: Extra inputs are not permitted)',
  )
  expect(stdout).toContain(
    'without the tool calculator: its provider refused it (Invalid schema for function',
  )
  expect(stdout).toContain('sshawl reload tries all of it again')
  const others = await stage.as('ned', ['models'])
  expect(others.stdout).not.toContain('Extra inputs')

  const args = [...lateOptimizing, MAIN, 'reload', '--data', stage.server.dataDir]
  await execa(process.execPath, args)
  expect((await stage.as('rhea', ['models'])).stdout).not.toContain('refused')
  expect(await ask()).toContain('all is well')
  expect(stage.models.requests).toHaveLength(11)
})
