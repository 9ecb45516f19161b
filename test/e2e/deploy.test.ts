import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { checkConfig } from '../../src/config/file.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

const ROOT = join(import.meta.dirname, '../..')
const deployed = (name: string): string => join(ROOT, 'docs/deploy', name)
const containerfile = readFileSync(deployed('Containerfile'), 'utf8')

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere()
})
afterAll(() => stage[Symbol.asyncDispose]())

test('the sample config is one that the server takes', () => {
  const { server } = loadConfig({ verb: 'serve', flags: { config: deployed('sshawl.toml') } })
  expect(server.access).toBe('invite')
})

test('the config of several servers names only what the compose file gives them', () => {
  const text = readFileSync(deployed('cluster.toml'), 'utf8')
  const compose = readFileSync(deployed('compose.yaml'), 'utf8')
  const { storage, bus, sandbox, server, http } = checkConfig(text, 'cluster.toml')
  expect(compose).toContain(`${storage.url_env}="postgres://`)
  expect(compose).toContain(`  ${new URL(bus?.url ?? '').hostname}:\n    image: docker.io/library/nats:`)
  expect(compose).toContain(`rooms:${sandbox.rooms_dir}`)
  expect(server.host_keys).toEqual(['/run/secrets/host_key'])
  expect(compose).toContain('secrets: [database_password, host_key]')
  expect(http.proxies).toEqual(server.proxies)
  expect(compose).toContain('./database.sql:/docker-entrypoint-initdb.d/')
  const name = /POSTGRES_DB: (\w+)/.exec(compose)?.[1]
  expect(readFileSync(deployed('database.sql'), 'utf8')).toContain(
    `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC;`,
  )
  for (const proxy of server.proxies) expect(compose).toContain(`ipv4_address: ${proxy}`)
})

test('the container file copies only what is there, and does not run as root', () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = '']) =>
    words.split(' '),
  )
  expect(copied.length).toBeGreaterThan(8)
  expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
  expect(containerfile).toMatch(/^USER node$/m)
})

test('the executable and npm start pass Node the same option', async () => {
  const says = `data:text/javascript,console.log(process.execArgv.join())`
  const { stdout } = await execa('sh', [join(ROOT, 'dist/main.js'), '--version'], {
    env: { NODE_OPTIONS: `--import=${says}` },
  })
  const [option = 'none'] = stdout.split('\n')
  expect(option).toMatch(/^--max-semi-space-size=\d+$/)
  expect(readFileSync(join(ROOT, 'package.json'), 'utf8')).toContain(`node ${option} dist/main.js serve`)
})

test('its health check passes while a server listens, and fails once it does not', async () => {
  const words = JSON.parse(/CMD (\["node".*\])$/m.exec(containerfile)?.[1] ?? '[]') as string[]
  const healthy = async () => {
    const env = { SSHAWL_LISTEN: `0.0.0.0:${stage.server.port}` }
    return (await execa(words[0] ?? '', words.slice(1), { env, reject: false })).exitCode
  }
  expect(await healthy()).toBe(0)
  await stage.server.stop('SIGTERM')
  expect(await healthy()).toBe(1)
})
