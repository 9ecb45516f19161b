import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig, type Config } from '../../../../src/server/config/config.ts'
import { HELP, readCommandLine } from '../../../../src/server/config/flags.ts'

const dir = mkdtempSync(join(tmpdir(), 'sshawl-config-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Loads the config as `sshawl serve FLAGS` does. */
const load = (flags: readonly string[], env: Record<string, string> = {}): Config =>
  loadConfig(readCommandLine(['serve', ...flags]), { HOME: dir, ...env })

function loadFile(text: string, env: Record<string, string> = {}): Config {
  const file = join(dir, 'sshawl.toml')
  writeFileSync(file, text)
  return load(['--config', file], env)
}

test('a flag overrides the environment, and the environment overrides the default', () => {
  const env = { SSHAWL_LISTEN: '127.0.0.1:1', SSHAWL_LOG: 'warn', SSHAWL_DATA: '' }
  const { listen, logLevel, dataDir } = load(['--listen', '[::1]:2'], env)
  expect({ listen, logLevel }).toEqual({ listen: { host: '::1', port: 2 }, logLevel: 'warn' })
  expect(dataDir).toBe(join(dir, '.local/share/sshawl'))
})

test.each([
  ['127.0.0.1:0', 'open'],
  ['0.0.0.0:0', 'invite'],
])('a server that listens on %s has the default access %s', (listen, access) => {
  expect(load(['--listen', listen]).server.access).toBe(access)
})

test("relative tool directories and modules are resolved from the config file's directory", () => {
  const { tools } = loadFile('[tools]\ndirs = ["tools", "/usr/share/tools"]\nmodules = ["./mine.js"]\n')
  expect(tools.dirs).toEqual([join(dir, 'tools'), '/usr/share/tools'])
  expect(tools.modules).toEqual([join(dir, 'mine.js')])
})

test('the default models are those of each provider with a key in the environment', () => {
  const { models } = load([], { ANTHROPIC_API_KEY: 'k1', OPENAI_API_KEY: 'k2', GEMINI_API_KEY: '' })
  expect(models.map(({ name, backend, apiKey, apiKeyEnv }) => [name, backend, apiKey, apiKeyEnv])).toEqual([
    ['guide', 'guide', undefined, undefined],
    ['gpt', 'openai', 'k2', 'OPENAI_API_KEY'],
    ['claude', 'anthropic', 'k1', 'ANTHROPIC_API_KEY'],
  ])
  expect(models[2]).toMatchObject({ contextWindow: 200_000, maxOutput: 4096, tools: 'all', enabled: true })
})

test.each(['1', '100', '499', '-1', '1.5'])(
  'tools_tokens = %s is refused because it leaves too few tokens for a search',
  (value) => {
    expect(() => loadFile(`[limits]\ntools_tokens = ${value}\n`)).toThrow(
      'sshawl.toml:2: limits.tools_tokens: ',
    )
    expect(loadFile('[limits]\ntools_tokens = 0\n').limits.tools_tokens).toBe(0)
    expect(loadFile('[limits]\ntools_tokens = 500\n').limits.tools_tokens).toBe(500)
  },
)

test('if the config file has models, only these and the guide are loaded', () => {
  const text = '[[models]]\nname = "q"\nbackend = "ollama"\nmodel = "qwen3:8b"\ncontext_window = 8000\n'
  const { models, discoverModels } = loadFile(text, { OPENAI_API_KEY: 'k' })
  expect(models.map((model) => model.name)).toEqual(['guide', 'q'])
  expect(models[1]).toMatchObject({ model: 'qwen3:8b', contextWindow: 8000, maxOutput: 2000 })
  expect(models[1]).not.toHaveProperty('context_window')
  expect(discoverModels).toBe(false)
})

test('an MCP server with a command gets its own variables and the common ones, but no other secrets', () => {
  const text = '[[mcp]]\nname = "h"\ncommand = ["npx", "h"]\nenv = { KEY = "k" }\ncwd = "sub"\n'
  const { mcp } = loadFile(text, { PATH: '/bin', HOME: '/home/h', OPENAI_API_KEY: 'secret' })
  const env = { PATH: '/bin', HOME: '/home/h', KEY: 'k' }
  expect(mcp).toEqual([
    { name: 'h', trust: 'ask', reach: { command: ['npx', 'h'], env, cwd: join(dir, 'sub') } },
  ])
})

test('an MCP server with a url gets its token from the environment', () => {
  const text = '[[mcp]]\nname = "h"\nurl = "http://h/mcp"\ntoken_env = "H_TOKEN"\ntrust = "annotations"\n'
  const { mcp } = loadFile(text, { H_TOKEN: ' t ' })
  const reach = { url: 'http://h/mcp', headers: { Authorization: 'Bearer t' } }
  expect(mcp).toEqual([{ name: 'h', trust: 'annotations', reach }])
})

test('an MCP server with oauth gets its login settings and its secret from the environment', () => {
  const entry = (oauth: string): string =>
    `[[mcp]]\nname = "h"\nurl = "https://h/mcp"\noauth = { ${oauth} }\n`
  const whole =
    'grant = "client_credentials", issuer = "https://login.example.org", client_id = "me", client_secret_env = "S", scopes = ["a", "b"], redirect_url = "https://chat.example.org/oauth/callback"'
  const reachOf = (oauth: string, env: Readonly<Record<string, string>>) =>
    loadFile(entry(oauth), env).mcp[0]?.reach
  expect(reachOf('', {})).toEqual({
    ...{ url: 'https://h/mcp', headers: {} },
    oauth: { grant: 'authorization_code' },
  })
  const oauth = {
    ...{ grant: 'client_credentials', issuer: 'https://login.example.org', clientId: 'me' },
    ...{ scopes: ['a', 'b'], redirectUrl: 'https://chat.example.org/oauth/callback' },
  }
  expect(reachOf(whole, { S: 's3cret' })).toMatchObject({ oauth: { ...oauth, clientSecret: 's3cret' } })
  expect(reachOf(whole, {})).toEqual({ url: 'https://h/mcp', headers: {}, oauth, unset: ['S'] })
})

test('an MCP server gets secrets from named variables and lists those that are not set', () => {
  const text =
    '[[mcp]]\nname = "a"\ncommand = ["a"]\npass_env = ["A_KEY", "NOT_SET"]\nenv = { A_KEY = "x", B = "y" }\n' +
    '[[mcp]]\nname = "b"\nurl = "http://h"\ntoken_env = "NO_TOKEN"\nheader_env = { X-Key = "A_KEY", Y = "BLANK" }\n'
  const { mcp } = loadFile(text, { A_KEY: 'k', BLANK: ' ' })
  expect(mcp.map(({ reach }) => reach)).toEqual([
    {
      command: ['a'],
      env: { HOME: expect.any(String), A_KEY: 'k', B: 'y' },
      secretEnv: ['A_KEY', 'NOT_SET'],
      unset: ['NOT_SET'],
    },
    { url: 'http://h', headers: { 'X-Key': 'k' }, unset: ['NO_TOKEN', 'BLANK'] },
  ])
})

const url = 'postgres://sshawl:tops3cret@db.example.org/sshawl'

test('storage is a SQLite file unless url or url_env names a database', () => {
  expect(load([]).storage).toEqual({})
  expect(loadFile(`[storage]\nurl = "${url}"\n`).storage).toEqual({ url })
  expect(loadFile('[storage]\nurl_env = "DB"\n', { DB: ` ${url}\n` }).storage).toEqual({ url })
})

test.each([
  ['url = "mysql://tops3cret@h/x"', {}, 'storage.url: write an address such as postgres://'],
  ['url = "postgres://tops3cret@h"', {}, 'storage.url: write an address such as postgres://'],
  [`url = "${url}"\nurl_env = "DB"`, { DB: url }, 'give either url or url_env'],
  ['url_env = "DB"', {}, 'storage.url_env: DB is not set; set it to an address such as postgres://'],
  ['url_env = "DB"', { DB: 'tops3cret' }, 'storage.url_env: DB holds no URL of PostgreSQL'],
  [`url_env = "${url}"`, {}, 'write the name of an environment variable'],
])('[storage] with %s is refused with a hint and without the password', (keys, env, problem) => {
  const attempt = () => loadFile(`[storage]\n${keys}\n`, env)
  expect(attempt).toThrow(problem)
  expect(attempt).not.toThrow('tops3cret')
})

describe('the bus', () => {
  const storage = '[storage]\nurl = "postgres://db.example.org/sshawl"\n'
  const url = 'nats://sshawl:tops3cret@nats.example.org'
  const seed = `SU${'A'.repeat(56)}`

  test('a bus takes its address from url or url_env and has a default prefix', () => {
    expect(load([]).bus).toBeUndefined()
    expect(loadFile(`${storage}[bus]\nurl = "${url}"\n`).bus).toEqual({ url, prefix: 'sshawl' })
    expect(
      loadFile(`${storage}[bus]\nurl_env = "NATS"\nprefix = "a.b-c_1"\n`, { NATS: ` ${url},other:1\n` }).bus,
    ).toEqual({ url: `${url},other:1`, prefix: 'a.b-c_1' })
    expect(
      loadFile('[storage]\nurl_env = "DB"\n[bus]\nurl = "tls://[::1]:1"\n', { DB: 'postgres://h/x' }).bus,
    ).toMatchObject({ url: 'tls://[::1]:1' })
  })

  test('a bus may have a credentials file next to the config file', () => {
    writeFileSync(join(dir, 'user.nk'), `${seed}\n`)
    expect(loadFile(`${storage}[bus]\nurl = "nats://h"\ncredentials = "user.nk"\n`).bus).toEqual({
      url: 'nats://h',
      prefix: 'sshawl',
      credentials: join(dir, 'user.nk'),
    })
  })

  test.each([
    ['', 'bus: give either url or url_env'],
    [`url = "${url}"\nurl_env = "NATS"`, 'bus: give either url or url_env'],
    ['url = "http://tops3cret@h"', 'bus.url: write an address such as nats://'],
    ['url = "nats://a:tops3cret@h,b:tops3cret2@i"', 'bus.url: write an address such as nats://'],
    ['url_env = "NONE"', 'bus.url_env: NONE is not set; set it to an address such as nats://'],
    ['url_env = "HOME"', 'bus.url_env: HOME holds no URL of NATS'],
    ['url = "nats://h"\nprefix = "a..b"', 'bus.prefix: write words of letters'],
    ['url = "nats://h"\ncredentials = "none"', 'none cannot be read (ENOENT); name a file'],
    ['url = "nats://h"\ncredentials = "sshawl.toml"', 'sshawl.toml holds no JWT and no seed of a user'],
    [`url = "${url}"\ncredentials = "sshawl.toml"`, 'bus.credentials: the address has a user, too'],
    ['url = "nats://h"\nstream = "x"', 'stream'],
  ])('[bus] with %s is refused with a hint and without the password', (keys, problem) => {
    const attempt = () => loadFile(`${storage}[bus]\n${keys}\n`)
    expect(attempt).toThrow(problem)
    expect(attempt).not.toThrow('tops3cret')
  })

  test('a bus is refused without a PostgreSQL database', () => {
    expect(() => loadFile(`[bus]\nurl = "${url}"\n`)).toThrow(
      /:1: bus: servers need a database that they share; give url in \[storage\]/,
    )
    expect(() => loadFile(`[storage]\n[bus]\nurl = "${url}"\n`)).toThrow('bus: servers need a database')
  })
})

test('HTTP is off unless a flag or a variable gives its address', () => {
  expect(load([]).http).toEqual({ hosts: [], origins: [], proxies: [] })
  expect(load([], { SSHAWL_HTTP: '[::1]:80' }).http.listen).toEqual({ host: '::1', port: 80 })
  expect(HELP).toMatch(/--http HOST:PORT/)
})

test.each(['2223', ':2223', '127.0.0.1:2223'])('an HTTP address %s listens on this machine only', (where) => {
  expect(load(['--http', where]).http.listen).toEqual({ host: '127.0.0.1', port: 2223 })
})

test.each(['', 'here', '127.0.0.1', '1:2:3', '127.0.0.1:99999', '99999'])(
  'the HTTP address "%s" is refused',
  (where) => {
    expect(() => load(['--http', where])).toThrow(
      /^--http: ".*" is no address; write HOST:PORT, such as 127\.0\.0\.1:2223$/,
    )
  },
)

test.each([
  ['hosts = ["https://chat.example.org"]', 'write a name such as chat.example.org'],
  ['origins = ["chat.example.org"]', 'write an origin such as https://chat.example.org'],
  ['origins = ["https://chat.example.org/"]', 'write an origin such as https://chat.example.org'],
  ['proxies = ["localhost"]', 'write an IP address'],
])('[http] with %s is refused with a hint', (key, problem) => {
  expect(() => loadFile(`[http]\n${key}\n`)).toThrow(problem)
})
