import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpCaller } from '../support/http-caller.ts'
import { answer, status } from '../support/model-server.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

const SECRET = 'xyzzy-of-the-people'

let stage: ModelStage
beforeAll(async () => {
  stage = await createModelStage('', { http: true, env: { SSHAWL_LOG: 'debug' } })
  await stage.claim('alice')
})
afterAll(() => stage[Symbol.asyncDispose]())

const { get } = createHttpCaller(() => stage)

type Line = Readonly<Record<string, unknown>>

/** The lines of the log that have these facts. */
const lines = (facts: Line): readonly Line[] =>
  stage.server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => Object.entries(facts).every(([name, value]) => line[name] === value))

const soon = (facts: Line) => expect.poll(() => lines(facts).at(-1), { timeout: 10_000 })

describe('the log at level debug', () => {
  test('tells of a login with the person, the key and the address', async () => {
    expect((await stage.as('bob', ['whoami'])).exitCode).toBe(0)
    const { stdout } = await stage.as('bob', ['keys', 'list'])
    const key = /SHA256:\S+/.exec(stdout)?.[0]
    await soon({ msg: 'login', person: 'bob' }).toMatchObject({ level: 'info', key, address: '127.0.0.1' })
  })

  test('tells of a refused login with its reason', async () => {
    expect((await stage.as('mallory', ['whoami'])).exitCode).toBe(0)
    await stage.as('alice', ['ban', 'mallory'])
    expect((await stage.as('mallory', ['whoami'])).exitCode).not.toBe(0)
    await soon({ msg: 'login refused' }).toMatchObject({
      level: 'info',
      key: expect.stringMatching(/^SHA256:/) as string,
      address: '127.0.0.1',
      why: expect.stringContaining('banned') as string,
    })
  })

  test('tells of a turn with its model, outcome, time and tokens', async () => {
    stage.models.play(answer([{ text: 'two' }], { usage: [70, 5] }))
    expect((await stage.as('alice', ['ask', 'lobby', '@qwen', SECRET])).exitCode).toBe(0)
    await soon({ msg: 'a turn ended' }).toMatchObject({
      ...{ level: 'info', room: 'lobby', model: 'qwen', person: 'alice', outcome: 'done' },
      ...{ input: 70, output: 5, ms: expect.any(Number) as number },
    })
  })

  test('tells of a turn that failed after its request was sent', async () => {
    stage.models.play(status(400, SECRET))
    expect((await stage.as('alice', ['ask', 'lobby', '@qwen', 'again'])).exitCode).not.toBe(0)
    await soon({ msg: 'a turn ended', outcome: 'failed' }).toMatchObject({ model: 'qwen' })
    expect(lines({ msg: 'a turn ended' })).toHaveLength(2)
  })

  test('tells of a command by its verb alone', async () => {
    expect((await stage.as('bob', ['say', 'lobby', SECRET])).exitCode).toBe(0)
    await soon({ msg: 'a command ended', verb: 'say' }).toMatchObject({
      ...{ level: 'debug', person: 'bob', done: true, ms: expect.any(Number) as number },
    })
  })

  test('tells of a tool call', async () => {
    await stage.as('alice', ['ask', 'lobby', '@guide call calculator {"expression":"1+1"}'])
    await soon({ msg: 'a tool call ended' }).toMatchObject({
      ...{ level: 'debug', tool: 'calculator', failed: false },
    })
  })

  test('tells of HTTP requests without queries and without unknown paths', async () => {
    await get(`/healthz?token=${SECRET}`)
    await soon({ msg: 'an HTTP request ended', status: 200 }).toMatchObject({
      ...{ level: 'debug', method: 'GET', path: '/healthz', address: '127.0.0.1' },
    })
    await get(`/${SECRET}`)
    await soon({ msg: 'an HTTP request ended', status: 404 }).not.toHaveProperty('path')
  })

  test('has nothing of what people said', () => {
    const told = stage.server.stderr().split('\n')
    expect(told.filter((line) => line.includes(SECRET) && !line.includes('"a model failed"'))).toEqual([])
  })
})
