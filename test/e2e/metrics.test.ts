import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paths } from '../../src/base/paths.ts'
import { createHttpCaller, withBearer } from '../support/http-caller.ts'
import { answer, status } from '../support/model-server.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

/** Nothing speaks MCP there. */
const CONFIG = `price = { input = 2, output = 8 }

[[mcp]]
name = "gone"
command = ["false"]
`

const deployed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../docs/deploy', name), 'utf8')

const alerts = deployed('alerts.yaml')
const panelQueries = [...deployed('dashboard.json').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
  ([, text = '']) => JSON.parse(text) as string,
)

const { version } = JSON.parse(readFileSync(paths.packageJson, 'utf8')) as { version: string }

let stage: ModelStage
let scraped = ''
beforeAll(async () => {
  stage = await createModelStage(CONFIG, { http: true, env: { SSHAWL_LOG: 'debug' } })
  await stage.claim('alice')
  await stage.as('mallory', ['whoami'])
  await stage.as('alice', ['ban', 'mallory'])
  await stage.as('mallory', ['whoami'])
  await using session = await stage.open('bob', '-T')
  await session.waitFor('lobby')
  stage.models.play(answer([{ text: 'two' }], { usage: [70, 5] }), status(401))
  for (const line of ['one', 'more']) await stage.as('alice', ['ask', 'lobby', `@qwen ${line}`])
  await stage.as('alice', ['ask', 'lobby', '@guide call calculator {"expression":"1+1"}'])
  scraped = await (await get('/metrics', withBearer(await token('alice')))).text()
})
afterAll(() => stage[Symbol.asyncDispose]())

const { token, get } = createHttpCaller(() => stage)

/** The value of a series. */
function figure(series: string): number | undefined {
  const line = scraped.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

test.each([
  [`sshawl_build_info{version="${version}",node="${process.version}"}`, 1],
  ['sshawl_turn_seconds_count{model="qwen",outcome="done"}', 1],
  ['sshawl_turn_seconds_count{model="qwen",outcome="failed"}', 1],
  ['sshawl_turns_total{model="qwen",outcome="done"}', 1],
  ['sshawl_first_token_seconds_count{model="qwen"}', 1],
  ['sshawl_model_errors_total{model="qwen",reason="key"}', 1],
  ['sshawl_cost_total{model="qwen"}', (70 * 2 + 5 * 8) / 1e6],
  ['sshawl_tokens_total{model="qwen",kind="input"}', 70],
  ['sshawl_turns_total{model="guide",outcome="done"}', 1],
  ['sshawl_tool_calls_total{tool="calculator",outcome="done"}', 1],
  ['sshawl_tool_seconds_count', 1],
  ['sshawl_entries_total{kind="message"}', 3],
  ['sshawl_mcp_server_up{server="gone"}', 0],
  ['sshawl_sessions', 1],
  ['sshawl_queue_bytes', 0],
  ['sshawl_turns_running', 0],
  ['sshawl_routines{state="active"}', 0],
])('the metrics show %s with the value %d', (series, value) => expect(figure(series)).toBeCloseTo(value, 12))

test.each([
  ['sshawl_logins_total', 5],
  ['sshawl_login_refusals_total{reason="denied"}', 1],
  ['sshawl_deliveries_total', 4],
  ['sshawl_wrap_seconds_count{outcome="done"}', 1],
  ['sshawl_storage_seconds_count{lane="read"}', 1],
  ['sshawl_storage_seconds_count{lane="write"}', 1],
])('the metrics show %s with at least %d', (series, least) =>
  expect(figure(series)).toBeGreaterThanOrEqual(least),
)

/** Prometheus itself makes `up`. */
const known = (name: string): boolean => {
  const [, family] = /^(.*?)(?:_bucket|_count|_sum)?$/.exec(name) ?? []
  return scraped.includes(`# TYPE ${name} `) || scraped.includes(`# TYPE ${family} histogram\n`)
}
const named = (text: string): readonly string[] => text.match(/\b(?:sshawl|nodejs|process)_\w+/g) ?? []

test('the dashboard and the alert rules name only metrics that exist', () => {
  const names = [alerts, ...panelQueries].flatMap(named)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !known(name))).toEqual([])
})

test('the dashboard shows every metric of sshawl', () => {
  const own = [...scraped.matchAll(/^# TYPE (sshawl_\w+)/gm)].map(([, name = '']) => name)
  expect(own.filter((name) => !panelQueries.some((query) => query.includes(name)))).toEqual([])
})

test('promtool accepts the alert rules, the panel queries and the metrics', async ({ skip }) => {
  const found = await execa('promtool', ['--version'], { reject: false })
  skip(found.failed, 'there is no promtool: it is in the package prometheus of Debian')
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-rules-'))
  try {
    const rules = panelQueries.map((query, index) => ({
      record: `panel:${index}`,
      expr: query.replaceAll('$__rate_interval', '5m'),
    }))
    await writeFile(join(dir, 'alerts.yaml'), alerts)
    // JSON is YAML.
    await writeFile(join(dir, 'panels.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    const files = ['alerts.yaml', 'panels.yaml'].map((name) => join(dir, name))
    const { exitCode, stderr } = await execa('promtool', ['check', 'rules', ...files], { reject: false })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    // Those of Node.js are its library's.
    const lint = await execa('promtool', ['check', 'metrics'], { input: scraped, reject: false })
    expect(lint.stderr.split('\n').filter((line) => !/^(nodejs|process)_/.test(line))).toEqual([])
  } finally {
    await rm(dir, { recursive: true })
  }
})

const SECRET = 'xyzzy-of-the-people'

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

test('the log of a login has the person, the key and the address', async () => {
  expect((await stage.as('bob', ['whoami'])).exitCode).toBe(0)
  const { stdout } = await stage.as('bob', ['keys', 'list'])
  const key = /SHA256:\S+/.exec(stdout)?.[0]
  await soon({ msg: 'login', person: 'bob' }).toMatchObject({ level: 'info', key, address: '127.0.0.1' })
})

test('the log of a refused login has the reason', async () => {
  await soon({ msg: 'login refused' }).toMatchObject({
    level: 'info',
    key: expect.stringMatching(/^SHA256:/) as string,
    address: '127.0.0.1',
    why: expect.stringContaining('banned') as string,
  })
})

test('the log of a turn has its model, outcome, duration and tokens', async () => {
  stage.models.play(answer([{ text: 'two' }], { usage: [70, 5] }))
  expect((await stage.as('alice', ['ask', 'lobby', '@qwen', SECRET])).exitCode).toBe(0)
  await soon({ msg: 'a turn ended' }).toMatchObject({
    ...{ level: 'info', room: 'lobby', model: 'qwen', person: 'alice', outcome: 'done' },
    ...{ input: 70, output: 5, ms: expect.any(Number) as number },
  })
})

test('the log of a failed turn has its model and outcome', async () => {
  stage.models.play(status(400, SECRET))
  expect((await stage.as('alice', ['ask', 'lobby', '@qwen', 'again'])).exitCode).not.toBe(0)
  await soon({ msg: 'a turn ended', outcome: 'failed' }).toMatchObject({ model: 'qwen' })
  expect(lines({ msg: 'a turn ended' })).toHaveLength(5)
})

test('the debug log of a command has its verb, person and duration', async () => {
  expect((await stage.as('bob', ['say', 'lobby', SECRET])).exitCode).toBe(0)
  await soon({ msg: 'a command ended', verb: 'say' }).toMatchObject({
    ...{ level: 'debug', person: 'bob', done: true, ms: expect.any(Number) as number },
  })
})

test('the debug log of a tool call has the tool and whether it failed', async () => {
  await stage.as('alice', ['ask', 'lobby', '@guide call calculator {"expression":"1+1"}'])
  await soon({ msg: 'a tool call ended' }).toMatchObject({
    ...{ level: 'debug', tool: 'calculator', failed: false },
  })
})

test('the debug log of an HTTP request has no query and no unknown path', async () => {
  await get(`/healthz?token=${SECRET}`)
  await soon({ msg: 'an HTTP request ended', status: 200 }).toMatchObject({
    ...{ level: 'debug', method: 'GET', path: '/healthz', address: '127.0.0.1' },
  })
  await get(`/rooms/${SECRET}/messages?token=${SECRET}`)
  await soon({ msg: 'an HTTP request ended', status: 405 }).toHaveProperty('path', '/rooms/NAME/messages')
  await get(`/${SECRET}`)
  await soon({ msg: 'an HTTP request ended', status: 404 }).not.toHaveProperty('path')
})

test('the debug log has no text of people, except in lines of failed models', () => {
  const told = stage.server.stderr().split('\n')
  expect(told.filter((line) => line.includes(SECRET) && !line.includes('"a model failed"'))).toEqual([])
})
