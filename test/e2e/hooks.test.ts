import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** Hooks of a room's script in a served room, with real wrap processes. */
let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ isShared: true, config: '[limits]\nrate_burst = 1000\n' })
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

const run = (words: readonly string[], input?: string) =>
  stage.as('rhea', words, input === undefined ? {} : { input })
async function out(words: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await run(words, input)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

const WRAP = 'function default_wrap(t) return wrap(t):system():tools(room_tool_scope()) end\n'

describe('the hooks of a room', () => {
  test('count what is said, in order, and refuse a tool to people and models alike', async () => {
    await out(['create', 'den'])
    const script = `${WRAP}
function on_message(entry)
  tools.log("info", entry.text)
  tools.room_kv_set("said", (tools.room_kv_get("said") or "") .. entry.text)
end
function before_tool_call(call)
  if call.id == "calculator" then return "no sums, " .. (call.model or call.user) end
end
function after_turn(turn) tools.room_kv_set("last", turn.model .. " " .. turn.outcome) end`
    await out(['script', 'den', 'set'], script)
    for (const text of ['a', 'b', 'c']) await out(['say', 'den', text])
    await vi.waitFor(async () => expect(await out(['kv', 'den', 'said', '--json'])).toContain('"abc"'))
    expect(await out(['script', 'den', 'log'])).toMatch(/info: a\n.*info: b\n.*info: c\n$/)
    const sum = '{"expression":"1+1"}'
    const refused = await run(['run', 'den', 'calculator', sum])
    expect(refused.exitCode).toBe(1)
    expect(refused.stdout + refused.stderr).toContain("refused by the room's script: no sums, rhea")
    await out(['ask', 'den', '@guide', 'call', 'calculator', sum])
    expect(await out(['history', 'den'])).toContain("refused by the room's script: no sums, guide")
    await vi.waitFor(async () => expect(await out(['kv', 'den', 'last', '--json'])).toContain('guide done'))
  })

  test('that never end delay no message and no other room, and are told once', async () => {
    await out(['create', 'slow'])
    await out(['script', 'slow', 'set'], `${WRAP}function on_message() while true do end end`)
    for (let index = 1; index <= 3; index++) await out(['say', 'slow', `message ${index}`])
    const history = await out(['history', 'slow'])
    for (let index = 1; index <= 3; index++) expect(history).toContain(`message ${index}`)
    expect(await out(['wrap', 'lobby', '@guide'])).toContain('system')
    await vi.waitFor(
      async () => expect((await out(['script', 'slow', 'log'])).match(/failed/g)).toHaveLength(3),
      { timeout: 20_000, interval: 500 },
    )
    const told = (await out(['history', 'slow'])).match(/the room's script failed in on_message/g)
    expect(told).toHaveLength(1)
  }, 40_000)
})
