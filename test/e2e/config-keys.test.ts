import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createApp } from '../../src/app.ts'
import { loadConfig, type Config } from '../../src/config/config.ts'
import { fileSchema } from '../../src/config/schema.ts'
import { ollamaWire } from '../support/ollama-wire.ts'
import { recordReads } from '../support/record-reads.ts'
import { startModelServer, status } from '../support/model-server.ts'
import { rawServer } from '../support/mcp/raw-servers.ts'
import { INITIALIZE, postMcp } from '../support/mcp/http-agent.ts'
import { memoryLog } from '../support/chat-parts.ts'
import { createSshHome, openSsh, ssh } from '../support/ssh.ts'
import { connectHostile } from '../support/ssh2-client.ts'

/** What a server by its address has, which is none by its command, a database server, and a bus; test/unit/config/load.test.ts. */
const BY_ADDRESS = /^(mcp\[\]\.(url|token_env|header_env|oauth\b.*)|storage\.(url|url_env)|bus\..*)$/

/** Read only where a client does not take what it is sent, as in attack-output.test.ts. */
const RARE = 'limits.queues_mb'

/** Every other key of the file, with a server at `endpoint` for what goes over the network. */
const everyKey = (endpoint: string, dir: string): string => `
[server]
access = "open"
motd = "a word of welcome"
admins = []
invites = "members"
user_ca = []
host_keys = []
proxies = ["192.0.2.0/24"]

[[models]]
name = "qwen"
backend = "ollama"
model = "qwen3:8b"
endpoint = "${endpoint}"
api_key_env = "QWEN_KEY"
context_window = 16000
max_output = 1000
encoding = "o200k_base"
system_prompt = "Be kind."
keep_alive = "5m"
price = { input = 2.5, cached = 0.25, output = 10 }
fallback = "guide"
tools = "none"
enabled = true

[[mcp]]
name = "holler"
command = ${JSON.stringify(rawServer('usual'))}
env = { KEY = "k" }
pass_env = ["QWEN_KEY"]
sandbox = false
cwd = "."
trust = "ask"

[tools]
dirs = ["${dir}"]
modules = []
disabled = []
timeout_s = 60

[tools.web]
fetch = true
ports = [80]

[tools.web.search]
provider = "google"
url = "${endpoint}"
api_key_env = "SEARCH_KEY"
engine_id = "cx"

[sandbox]
mode = "none"
disk_mb = 64
memory_mb = 128
workspaces = {}
rooms_dir = "${dir}/rooms"

[lua]
engine = "wasmoon"

[memory]
summarizer = "qwen"

[http]
hosts = ["chat.example.org"]
origins = ["https://chat.example.org"]
proxies = ["127.0.0.1"]

[limits]
turns_per_room = 1
${Object.entries(fileSchema.parse({}).limits)
  .filter(([key]) => key !== 'turns_per_room')
  .map(([key, value]) => `${key} = ${value}`)
  .join('\n')}
`

test('every key of the config file is read by something', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-keys-'))
  await using models = await startModelServer()
  const file = join(dir, 'sshawl.toml')
  await mkdir(join(dir, 'rooms'))
  const text = everyKey(models.endpoint, dir)
  await writeFile(file, text)
  const { leaves, parts } = keysOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Schema)
  expect(leaves.filter((key) => !BY_ADDRESS.test(key) && !isIn(key, parse(text)))).toEqual([])

  const flags = { config: file, listen: '127.0.0.1:0', http: '127.0.0.1:0', data: join(dir, 'data') }
  const env = { HOME: dir, QWEN_KEY: 'k', SEARCH_KEY: 'k' }
  const { recorded, unread } = recordReads(loadConfig({ verb: 'serve', flags }, env), new Set(parts))
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
  alice.write('/create den\n')
  await alice.waitFor('made den')
  expect((await ssh(target, ['say', 'den'], { input: 'two\nlines' })).exitCode).toBe(0)
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

/** Asks for the metrics as a page behind a proxy would, for a name of the config. */
async function readFigures(port: number, token: string): Promise<void> {
  const origin = 'https://chat.example.org'
  const headers = { Authorization: `Bearer ${token}`, Host: 'chat.example.org', Origin: origin }
  const asked = request({ host: '127.0.0.1', port, path: '/metrics', headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  expect(answer.resume().statusCode).toBe(403)
}

/** Asks for more than the client takes, so that some of it waits. */
async function leaveUnread(port: number, key: string): Promise<void> {
  using client = await connectHostile('alice', port, key)
  client.claim(1_024, 32_768)
  await client.exec('help')
  await client.run('whoami')
}

/** A JSON Schema, as far as it is looked at here. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** The paths of all keys below, `models[].name`, and of the parts that they are in. */
function keysOf(schema: Schema, path = ''): { leaves: string[]; parts: string[] } {
  if (schema.items?.properties) return keysOf(schema.items, `${path}[]`)
  if (!schema.properties) return { leaves: [path], parts: [] }
  const below = Object.entries(schema.properties).map(([key, inner]) =>
    keysOf(inner, path === '' ? key : `${path}.${key}`),
  )
  return {
    leaves: below.flatMap((one) => one.leaves),
    parts: [path, ...below.flatMap((one) => one.parts)],
  }
}

/** True if the value has something at a path. */
function isIn(path: string, value: unknown): boolean {
  const [key = '', ...rest] = path.split('.')
  const inner = (value as Readonly<Record<string, unknown>>)[key.replace('[]', '')]
  const first: unknown = Array.isArray(inner) && key.endsWith('[]') ? inner[0] : inner
  return rest.length === 0 ? first !== undefined : first !== undefined && isIn(rest.join('.'), first)
}
