import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MODEL_LIMITS } from '../../../../src/adapters/models/provider.ts'
import { limitedFetch, LimitError } from '../../../../src/adapters/models/fetch.ts'
import { createModel } from '../../../../src/adapters/models/index.ts'
import { collect, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import {
  fallsSilent,
  says,
  startModelServer,
  status,
  type ModelServer,
} from '../../../support/model-server.ts'

let server: ModelServer

beforeEach(async () => {
  server = await startModelServer()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(async () => {
  vi.useRealTimers()
  await server[Symbol.asyncDispose]()
})

const model = () =>
  createModel(sampleConfig({ endpoint: server.endpoint }), { ...MODEL_LIMITS, idleMs: 1000 })

/** Timers of ours: the HTTP client has some of its own, which last as long as its connections. */
const timersOf = async (work: () => Promise<unknown>): Promise<number> => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const clear = vi.spyOn(globalThis, 'clearTimeout')
  await work()
  const ours = set.mock.calls.flatMap(([, ms], index) =>
    ms === 1000 ? [set.mock.results[index]!.value as unknown] : [],
  )
  const cleared = new Set(clear.mock.calls.map(([timer]) => timer as unknown))
  vi.restoreAllMocks()
  expect(ours.length).toBeGreaterThan(0)
  return ours.filter((timer) => !cleared.has(timer)).length
}

describe('the wait for a silent provider', () => {
  it('begins anew with every piece', async () => {
    let send!: (text: string) => void
    server.play((response) => {
      response.writeHead(200)
      send = (text) => void response.write(text)
      send('one')
    })
    const response = await limitedFetch({ ...MODEL_LIMITS, idleMs: 1000 })(server.endpoint)
    const reader = response.body!.getReader()
    for (const next of ['two', 'three', 'four']) {
      expect((await reader.read()).done).toBe(false)
      await vi.advanceTimersByTimeAsync(900)
      send(next)
    }
    expect((await reader.read()).done).toBe(false)
    const waiting = reader.read()
    const failed = expect(waiting).rejects.toBeInstanceOf(LimitError)
    await vi.advanceTimersByTimeAsync(1000)
    await failed
  })

  it('leaves no timer behind after a whole answer', async () => {
    server.play(says('hello'))
    expect(await timersOf(() => collect(model().stream(sampleRequest(), new AbortController().signal)))).toBe(
      0,
    )
  })

  it('leaves no timer behind after an error', async () => {
    server.play(status(500))
    const asking = () =>
      collect(model().stream(sampleRequest(), new AbortController().signal)).catch(() => {})
    expect(await timersOf(asking)).toBe(0)
  })

  it('leaves no timer behind when nobody reads on', async () => {
    server.play(fallsSilent('Once'))
    const readOne = async (): Promise<void> => {
      for await (const event of model().stream(sampleRequest(), new AbortController().signal)) {
        expect(event.type).toBe('text')
        break
      }
    }
    expect(await timersOf(readOne)).toBe(0)
  })
})
