import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paths } from '../../src/app/paths.ts'
import { createHttpCaller, withBearer } from '../support/http-caller.ts'
import { answer, status } from '../support/model-server.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

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

let stage: ModelStage<AnyServer>
let scraped = ''
beforeAll(async () => {
  stage = await createModelStageHere(CONFIG, { http: true })
  await stage.claim('alice')
  await stage.as('mallory', ['whoami'])
  await stage.as('alice', ['ban', 'mallory'])
  await stage.as('mallory', ['whoami'])
  stage.models.play(answer([{ text: 'two' }], { usage: [70, 5] }), status(401))
  for (const line of ['one', 'more']) await stage.as('alice', ['ask', 'lobby', `@qwen ${line}`])
  scraped = await (await get('/metrics', withBearer(await token('alice')))).text()
})
afterAll(() => stage[Symbol.asyncDispose]())

const { token, get } = createHttpCaller(() => stage)

/** The value of a series. */
function figure(series: string): number | undefined {
  const line = scraped.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

describe('a scrape', () => {
  test('tells the versions of sshawl and Node', () => {
    const { version } = JSON.parse(readFileSync(paths.packageJson, 'utf8')) as { version: string }
    expect(figure(`sshawl_build_info{version="${version}",node="${process.version}"}`)).toBe(1)
  })

  test('counts logins, and refusals by their reason', () => {
    expect(figure('sshawl_logins_total')).toBeGreaterThanOrEqual(5)
    expect(figure('sshawl_login_refusals_total{reason="denied"}')).toBeGreaterThanOrEqual(1)
  })

  test('times turns by model and outcome', () => {
    expect(figure('sshawl_turn_seconds_count{model="qwen",outcome="done"}')).toBe(1)
    expect(figure('sshawl_turn_seconds_count{model="qwen",outcome="failed"}')).toBe(1)
    expect(figure('sshawl_turns_total{model="qwen",outcome="done"}')).toBe(1)
  })

  test('times the first token of an answer', () => {
    expect(figure('sshawl_first_token_seconds_count{model="qwen"}')).toBe(1)
  })

  test('counts failed requests to a model by their reason', () => {
    expect(figure('sshawl_model_errors_total{model="qwen",reason="key"}')).toBe(1)
  })

  test('adds up what a model with prices cost', () => {
    expect(figure('sshawl_cost_total{model="qwen"}')).toBeCloseTo((70 * 2 + 5 * 8) / 1e6, 12)
  })

  test('tells that an MCP server is not connected', () => {
    expect(figure('sshawl_mcp_server_up{server="gone"}')).toBe(0)
  })

  test('times the calls of the database', () => {
    expect(figure('sshawl_storage_seconds_count{lane="read"}')).toBeGreaterThan(0)
    expect(figure('sshawl_storage_seconds_count{lane="write"}')).toBeGreaterThan(0)
  })
})

describe('the dashboard and the alert rules', () => {
  /** Prometheus itself makes `up`. */
  const known = (name: string): boolean => {
    const [, family] = /^(.*?)(?:_bucket|_count|_sum)?$/.exec(name) ?? []
    return scraped.includes(`# TYPE ${name} `) || scraped.includes(`# TYPE ${family} histogram\n`)
  }
  const named = (text: string): readonly string[] => text.match(/\b(?:sshawl|nodejs|process)_\w+/g) ?? []

  test('name only metrics that a scrape has', () => {
    const names = [alerts, ...panelQueries].flatMap(named)
    expect(names.length).toBeGreaterThan(30)
    expect(names.filter((name) => !known(name))).toEqual([])
  })

  test('show every metric of sshawl on the dashboard', () => {
    const own = [...scraped.matchAll(/^# TYPE (sshawl_\w+)/gm)].map(([, name = '']) => name)
    expect(own.filter((name) => !panelQueries.some((query) => query.includes(name)))).toEqual([])
  })

  test('are what promtool takes', async ({ skip }) => {
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
})
