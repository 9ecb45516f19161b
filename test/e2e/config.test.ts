import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { execa } from 'execa'
import { createApp } from '../../src/server/app.ts'
import { loadConfig, type Config } from '../../src/server/config/config.ts'
import { fileSchema } from '../../src/server/config/schema.ts'
import type { Schema } from '../checks/config-keys.ts'
import { everyKey, leftOutOf } from '../support/every-key.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { ollamaWire } from '../support/ollama-wire.ts'
import { recordReads } from '../support/record-reads.ts'
import { startModelServer, status } from '../support/model-server.ts'
import { INITIALIZE, postMcp } from '../support/mcp/http-agent.ts'
import { memoryLog } from '../support/chat-parts.ts'
import { createSshHome, openSsh, ssh } from '../support/ssh.ts'
import { connectHostile } from '../support/ssh2-client.ts'
import { checkConfig } from '../../src/server/config/file.ts'
import { createStageHere } from '../support/stage.ts'

/** Read only where a client does not take what it is sent, as in attack-ssh.test.ts. */
const RARE = 'limits.queues_mb'

test('every key of the config file is read by the server', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-keys-'))
  await using models = await startModelServer()
  const file = join(dir, 'sshawl.toml')
  await mkdir(join(dir, 'rooms'))
  const text = everyKey(models.endpoint, dir)
  await writeFile(file, text)
  expect(leftOutOf(text)).toEqual([])
  expect(leftOutOf(text.replace('motd =', '# motd ='))).toEqual(['server.motd'])

  const flags = { config: file, listen: '127.0.0.1:0', http: '127.0.0.1:0', data: join(dir, 'data') }
  const env = { HOME: dir, QWEN_KEY: 'k', SEARCH_KEY: 'k' }
  const { recorded, unread } = recordReads(
    loadConfig({ verb: 'serve', flags }, env),
    new Set(partsOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Schema)),
  )
  try {
    await useAll(recorded, models)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
  expect(unread().filter((key) => key !== RARE)).toEqual([])
})

/** A server with this config, and somebody who talks, is written to, calls two models at once, searches the web, makes a room and runs a script; then it drains. */
async function useAll(config: Config, models: Awaited<ReturnType<typeof startModelServer>>): Promise<void> {
  await using home = await createSshHome()
  await using app = await createApp(config, { log: memoryLog() })
  const { port } = await app.listen()
  const target = { user: 'alice', port, key: await home.key('alice') }
  await using alice = openSsh({ ...target, options: ['-T'] })
  await alice.waitFor('a word of welcome')
  models.play(ollamaWire.says('I am here'), status(401))
  alice.write('hello @qwen and @guide\n')
  await Promise.all([alice.waitFor('I am here'), alice.waitFor('I am @guide')])
  alice.write('@qwen once more\n')
  await alice.waitFor('QWEN_KEY')
  alice.write('/run web_search {"q":"shawls"}\n')
  await alice.waitFor('question 1')
  alice.write('/allow 1\n')
  await models.arrived(3)
  alice.write('/run calculator {"expression":"2+2"}\n/run run_command {"command":"true"}\n')
  await alice.waitFor('denied: only an admin can allow it')
  alice.write('/run write_file {"file_path":"a","content":"x"}\n')
  await alice.waitFor('question 2')
  alice.write('/deny 2\n')
  // The config names den, so only an admin can make it.
  await ssh(target, ['claim', app.claimCode ?? ''])
  alice.write('/create den\n')
  await alice.waitFor('made den')
  const input = 'function on_message() return { webhook = "ci" } end'
  expect((await ssh(target, ['script', 'den', 'set'], { input })).exitCode).toBe(0)
  expect((await ssh(target, ['say', 'den'], { input: 'two\nlines' })).exitCode).toBe(0)
  await models.arrived(4)
  await useCompany(target)
  const made = await ssh(target, ['invites', 'new'])
  const bob = { user: `bob+${made.stdout.trim()}`, port, key: await home.key('bob') }
  // A right code with a taken name: the client is told why, and has time to read it.
  expect((await ssh({ ...bob, user: bob.user.replace('bob', 'alice') }, ['whoami'])).exitCode).toBe(255)
  expect((await ssh(bob, ['keys', 'add'], { input: 'no key' })).stderr).toContain('nothing was added')
  expect(
    (await ssh(bob, ['keys', 'add'], { input: await readFile(`${await home.key('second')}.pub`) })).exitCode,
  ).toBe(0)
  await ssh(bob, ['msg', 'alice', 'psst'])
  await alice.waitFor('bob -> you: psst')
  expect((await ssh(bob, ['rename', 'bobby'])).exitCode).toBe(0)
  // A server's tools are there once it has answered.
  for (;;) if ((await ssh(target, ['tools', 'lobby'])).stdout.includes('holler_echo')) break
  const token = (await ssh(target, ['token', 'new'])).stdout.trim()
  const http = (await app.listenHttp())!.port
  await readFigures(http, token)
  expect((await postMcp(`http://127.0.0.1:${http}`, token, INITIALIZE)).status).toBe(200)
  await leaveUnread(port, target.key)
  await app.drain(() => AbortSignal.abort())
}

/** Makes routines, of which one runs, a persona, memories, a talk, and a panel with more tokens than it may have. */
async function useCompany(target: Parameters<typeof ssh>[0]): Promise<void> {
  for (const line of [
    'remind 1d later',
    'every lobby day 09:00 @guide tools',
    'watch lobby alarm @guide tools',
    'listen lobby @guide',
    'say lobby alarm',
    'persona lobby reviewer @qwen find what breaks',
    'remember lobby the build is green',
    'remember --me likes tea',
    'talk @guide tools',
    'run lobby look_at {"file":"none.png"}',
  ])
    await ssh(target, line.split(' '))
  const panel = await ssh(target, 'panel lobby --tokens 999999 @qwen @guide why?'.split(' '))
  expect(panel.stderr).toContain('panel_tokens')
}

/** Asks for the metrics as a page behind a proxy would, for a name of the config. */
async function readFigures(port: number, token: string): Promise<void> {
  const origin = 'https://chat.example.org'
  const headers = { Authorization: `Bearer ${token}`, Host: 'chat.example.org', Origin: origin }
  const asked = request({ host: '127.0.0.1', port, path: '/metrics', headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  expect(answer.resume().statusCode).toBe(200)
}

/** Asks for more than the client takes, so that some of it waits. */
async function leaveUnread(port: number, key: string): Promise<void> {
  using client = await connectHostile('alice', port, key)
  client.claim(1_024, 32_768)
  await client.exec('help')
  await client.run('whoami')
}

/** The paths of all parts of a schema that have keys below. */
function partsOf(schema: Schema, path = ''): readonly string[] {
  if (schema.items?.properties) return partsOf(schema.items, `${path}[]`)
  if (!schema.properties) return []
  return [
    path,
    ...Object.entries(schema.properties).flatMap(([key, inner]) =>
      partsOf(inner, path === '' ? key : `${path}.${key}`),
    ),
  ]
}

const ROOT = join(import.meta.dirname, '../..')
const deployed = (name: string): string => join(ROOT, 'docs/deploy', name)
const containerfile = readFileSync(deployed('Containerfile'), 'utf8')

const stage = await forAllTests(createStageHere())

test('the sample config in docs/deploy is valid and has access "invite"', () => {
  const { server } = loadConfig({ verb: 'serve', flags: { config: deployed('sshawl.toml') } })
  expect(server.access).toBe('invite')
})

test('cluster.toml names only services and secrets that compose.yaml provides', () => {
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

test('the Containerfile copies only existing files and runs as the user node', () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = '']) =>
    words.split(' '),
  )
  expect(copied.length).toBeGreaterThan(8)
  expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
  expect(containerfile).toMatch(/^USER node$/m)
})

test.each(['README.md', 'docs/admin.md', 'docs/deploy/Containerfile'])(
  '%s builds the container in the format of Docker, which has a health check',
  (page) => {
    expect(readFileSync(join(ROOT, page), 'utf8')).toContain('podman build --format docker -t sshawl')
  },
)

test('each server of compose.yaml has an init process, which reaps orphaned tool processes', () => {
  const [, server = ''] =
    /^ {2}one: &server\n(.*?)^ {2}two: \*server$/ms.exec(readFileSync(deployed('compose.yaml'), 'utf8')) ?? []
  expect(server).toMatch(/^ {4}init: true$/m)
})

test('the executable and npm start pass Node the same options', async () => {
  const says = `data:text/javascript,console.log(process.execArgv.join('%20'))`
  const { stdout } = await execa('sh', [join(ROOT, 'dist/main.js'), '--version'], {
    env: { NODE_OPTIONS: `--import=${says}` },
  })
  const [options = 'none'] = stdout.split('\n')
  expect(options).toMatch(/^--max-semi-space-size=\d+ --heap-growing-percent=\d+$/)
  expect(readFileSync(join(ROOT, 'package.json'), 'utf8')).toContain(`node ${options} dist/main.js serve`)
})

test('the container health check passes while the server listens and fails after it stops', async () => {
  const words = JSON.parse(/CMD (\["node".*\])$/m.exec(containerfile)?.[1] ?? '[]') as string[]
  const healthy = async () => {
    const env = { SSHAWL_LISTEN: `0.0.0.0:${stage.server.port}` }
    return (await execa(words[0] ?? '', words.slice(1), { env, reject: false })).exitCode
  }
  expect(await healthy()).toBe(0)
  await stage.server.stop('SIGTERM')
  expect(await healthy()).toBe(1)
})
