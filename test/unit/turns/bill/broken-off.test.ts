import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../../support/counting-servers.ts'
import { json } from '../../../support/ollama-wire.ts'
import type { Script } from '../../../support/model-server.ts'
import { servedRoom } from '../../../support/served-room.ts'

/** Begins to answer, and breaks the connection before anything of an answer is there. */
const begins =
  (contentType: string): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType })
    response.write('\n', () => response.socket?.destroy())
  }

const KINDS = ['openai', 'vllm', 'gemini', 'anthropic', 'ollama that does not cut'] as const

describe('a request that broke off after its provider began to answer', () => {
  test.each(KINDS)('is counted by us, once for each time that it was sent: %s', async (kind) => {
    const dialect = DIALECTS[kind]!
    await using it = await servedRoom(dialect.backend, {}, 3)
    const broken = begins(dialect.backend === 'ollama' ? 'application/x-ndjson' : 'text/event-stream')
    const facts = Object.entries(dialect.facts?.({ window: 8000, density: 1 }) ?? {})
    let asked = 0
    it.server.always((response, request) => {
      const fact = facts.find(([path]) => request.path.endsWith(path))
      if (fact) return fact[1](response, request)
      if (!/chat|messages|generateContent/i.test(request.path)) return json({}, 404)(response, request)
      asked += 1
      return (asked < 3 ? broken : dialect.says('ok', 700))(response, request)
    })
    expect(await (await it.world.start('hello')).done).toMatchObject({ text: 'ok' })
    expect(asked).toBe(3)
    const { storage } = it.world.chatParts
    const [used] = await storage.models.charges.usage({ room: it.world.room.name, since: 0, by: 'room' })
    const estimated = used!.estimated!
    expect(used).toMatchObject({ turns: 1, requests: 3, input: 700 + estimated.input, output: 2 })
    expect(estimated.input).toBeGreaterThan(1000)
    expect(estimated.input % 2).toBe(0)
    expect(estimated.output).toBe(0)
  })

  test('is told without the address of its server, which is for the log', async () => {
    await using it = await servedRoom('openai-compatible', {}, 3)
    it.server.always(begins('text/event-stream'))
    const { text } = await (await it.world.start('hello')).done
    expect(text).toBe('@qwen: the connection to its server broke; ask again')
  })

  test('is not counted where nobody answered, or with a failure', async () => {
    await using it = await servedRoom('openai-compatible', {}, 3)
    let asked = 0
    it.server.always((response, request) => {
      if (!request.path.endsWith('completions')) return json({}, 404)(response, request)
      asked += 1
      if (asked === 1) return json({ error: { message: 'overloaded' } }, 503)(response, request)
      if (asked === 2) return void response.socket?.destroy()
      return DIALECTS['vllm']!.says('ok', 700)(response, request)
    })
    expect(await (await it.world.start('hello')).done).toMatchObject({ text: 'ok' })
    const { storage } = it.world.chatParts
    const [used] = await storage.models.charges.usage({ room: it.world.room.name, since: 0, by: 'room' })
    expect(used).toMatchObject({ requests: 1, input: 700 })
  })
})
