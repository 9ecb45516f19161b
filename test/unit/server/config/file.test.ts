import { expect, test } from 'vitest'
import { checkConfig } from '../../../../src/server/config/file.ts'
import { ConfigError } from '../../../../src/server/config/environment.ts'
import { webFrom } from '../../../../src/server/config/web.ts'

const problemsOf = (text: string): readonly string[] => {
  try {
    checkConfig(text, 'f.toml')
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const problemOf = (text: string): string => problemsOf(text)[0] ?? 'no problem'

const model = '[[models]]\nname = "qwen"\nbackend = "ollama"\nmodel = "qwen3:8b"\n'

test('an empty config file gives every default', () => {
  const config = checkConfig('', 'f.toml')
  expect(config.limits.message_chars).toBe(4000)
  expect(config.models).toEqual([])
  expect(config.lua.engine).toBe('wasmoon')
})

test('a model in a config file gets its defaults', () => {
  expect(checkConfig(model, 'f.toml').models[0]).toMatchObject({
    context_window: 32768,
    tools: 'all',
    enabled: true,
  })
})

test('prices are stored as integers, and the cached price defaults to the input price', () => {
  const priceOf = (text: string) => checkConfig(`${model}price = ${text}\n`, 'f.toml').models[0]?.price
  const price = { input: 2_500_000, cached: 250_000, output: 10_000_000 }
  expect(priceOf('{ input = 2.5, cached = 0.25, output = 10 }')).toEqual(price)
  expect(priceOf('{ input = 2.5, output = 10 }')).toEqual({ ...price, cached: 2_500_000 })
})

test.each([
  ['[server]\nacess = "open"\n', 'f.toml:2: unknown key acess; did you mean access?'],
  ['\n[servr]\n', 'f.toml:2: unknown key servr; did you mean server?'],
  [
    `${model}\n${model.replace('qwen"', 'two"')}contxt_window = 5\n`,
    'f.toml:10: unknown key contxt_window; did you mean context_window?',
  ],
  [`${model}${model}`, 'f.toml:6: the name qwen is used twice'],
  ['[server]\naccess = "opn"\n', /^f\.toml:2: server\.access: .*"open"/],
  ['[limits]\nturn_s = "long"\n', /^f\.toml:2: limits\.turn_s: /],
  ['[limits]\nturn_s = 0\n', /^f\.toml:2: limits\.turn_s: /],
  ['[[models]]\nbackend = "ollama"\nmodel = "x"\n', 'f.toml:1: models.name is missing'],
  ['[[models]]\nname = "a b"\nbackend = "ollama"\nmodel = "x"\n', /^f\.toml:2: models\.name: use 1-32/],
  ['[[models]]\nname = "a"\nbackend = "ollama"\n', /^f\.toml:1: models\.model: say which model/],
  [`${model}context_window = 100\nmax_output = 100\n`, /^f\.toml:6: models\.max_output: must be less/],
  [
    `${model}context_window = 498\n`,
    /^f\.toml:5: models\.context_window: is too small: .* at least 375 tokens/,
  ],
  [`${model}context_window = 8000\nmax_output = 7900\n`, /^f\.toml:5: models\.context_window: is too small/],
  [
    `${model}fallback = "nobody"\n`,
    'f.toml:5: there is no model called nobody in this file; name another one',
  ],
  [
    `${model}[memory]\nsummarizer = "gone"\n`,
    'f.toml:6: memory.summarizer: there is no model called gone in this file; name one of it',
  ],
  [
    `${model}fallback = "off"\n${model.replace('"qwen"', '"off"')}enabled = false\n`,
    'f.toml:5: the model off has enabled = false; enable it, or name another one',
  ],
  [`${model}fallback = "qwen"\n`, 'f.toml:5: the fallbacks of qwen lead back to it; leave one of them out'],
  [
    model.replace('"ollama"', '"openai"') + 'keep_alive = "5m"\n',
    /^f\.toml:5: models\.keep_alive: only for ollama; leave it out/,
  ],
  [`${model}price = 2.5\n`, /^f\.toml:5: models\.price/],
  [`${model}price = { input = 1 }\n`, /^f\.toml:\d: models\.price\.output is missing/],
  [`${model}price = { input = -1, output = 1 }\n`, /^f\.toml:5: models\.price\.input/],
  [`${model}price = { input = 1e10, output = 1 }\n`, /^f\.toml:5: models\.price\.input/],
  [`${model}price = { input = nan, output = 1 }\n`, /^f\.toml:5: models\.price\.input/],
  [
    `${model}price = { input = 0.0000001, output = 1 }\n`,
    'f.toml:5: models.price.input: write a price with at most 6 digits after the point',
  ],
  [`${model}keep_alive = "soon"\n`, /^f\.toml:5: models\.keep_alive/],
  [`${model}api = "responses"\n`, /^f\.toml:5: models\.api: only for openai; leave it out/],
  [
    `${model}extra_body = { messages = [] }\n`,
    /^f\.toml:5: models\.extra_body: messages is what sshawl sends/,
  ],
  [`${model}extra_body = { max_tokens = 5 }\n`, /^f\.toml:5: models\.extra_body: max_tokens is what/],
  [
    `${model}extra_body = { options = { num_ctx = 5 } }\n`,
    /extra_body: options\.num_ctx is what sshawl sends/,
  ],
  [
    `${model}options = { num_ctx = 5 }\n`,
    /^f\.toml:5: models\.options: options\.num_ctx is what .*context_window/,
  ],
  [`${model}temperature = 3\n`, /^f\.toml:5: models\.temperature/],
  [
    model.replace('"ollama"', '"openai"') + 'api = "responses"\nstop = "x"\n',
    /^f\.toml:6: models\.stop: OpenAI's Responses API does not have it/,
  ],
  ['[[mcp]]\nname = "h"\n', /^f\.toml:1: mcp: give either url or command/],
  ['[[mcp]]\nname = "network"\nurl = "http://h"\n', /^f\.toml:2: mcp\.name: use 1-32 .* another meaning/],
  [
    '[[mcp]]\nname = "h"\nurl = "http://h"\ncwd = "x"\n',
    /^f\.toml:1: mcp: env, pass_env and cwd are allowed only with command/,
  ],
  [
    '[[mcp]]\nname = "h"\ncommand = ["x"]\ntoken_env = "T"\n',
    /^f\.toml:4: mcp\.token_env: is allowed only with url/,
  ],
  [
    '[[mcp]]\nname = "h"\ncommand = ["x"]\nheader_env = { A = "T" }\n',
    /^f\.toml:4: mcp\.header_env: is allowed only with url/,
  ],
  [
    '[[mcp]]\nname = "h"\nurl = "http://h"\nheader_env = { "a b" = "T" }\n',
    /^f\.toml:4: mcp\.header_env\.a b: /,
  ],
  ['[[mcp]]\nname = "h"\nurl = "http://h"\npass_env = ["A"]\n', /^f\.toml:1: mcp: env, pass_env and cwd/],
  ['[[mcp]]\nname = "h"\ncommand = ["x"]\ntrust = "yes"\n', /^f\.toml:4: mcp\.trust: .*"ask"/],
  [
    '[[mcp]]\nname = "h"\nurl = "http://h"\noauth = {}\n',
    /^f\.toml:4: mcp\.oauth: is allowed only with a url on this machine or with https:\/\//,
  ],
  [
    '[[mcp]]\nname = "h"\ncommand = ["x"]\noauth = {}\n',
    /^f\.toml:4: mcp\.oauth: is allowed only with a url/,
  ],
  [
    '[[mcp]]\nname = "h"\nurl = "https://h"\ntoken_env = "T"\noauth = {}\n',
    /^f\.toml:5: mcp\.oauth: is not allowed together with token_env/,
  ],
  [model.replace('"qwen"', '"guide"'), /^f\.toml:2: models\.name: @guide is the helper/],
  [model.replace('"qwen"', '"here"'), /^f\.toml:2: models\.name: a line with this @name rings everybody/],
  ['a = \n', /^f\.toml:1: not TOML/],
  ['[server]\nadmins = ["me"]\n', /^f\.toml:2: server\.admins: write a fingerprint/],
])('the config %j is refused with its line and a hint', (text, expected) => {
  if (typeof expected === 'string') expect(problemOf(text)).toBe(expected)
  else expect(problemOf(text)).toMatch(expected)
})

test.each([
  ['client_id = "x"', 'mcp.oauth.issuer: say who knows this client_id'],
  ['client_secret_env = "X"', 'mcp.oauth.client_secret_env: is for a client_id'],
  [
    'grant = "client_credentials"',
    'mcp.oauth.grant: client_credentials needs client_id and client_secret_env',
  ],
  ['grant = "password"', 'mcp.oauth.grant: '],
  ['issuer = "http://login.example.org"', 'mcp.oauth.issuer: has to begin with https://'],
  ['issuer = "https://me:pw@login.example.org"', 'mcp.oauth.issuer: an address must not hold a password'],
  ['redirect_url = "ftp://h"', 'mcp.oauth.redirect_url: write an address'],
  ['scopes = ["a b"]', 'mcp.oauth.scopes: write one word for each scope'],
  ['scopes = []', 'mcp.oauth.scopes: '],
  ['color = "red"', 'unknown key color'],
])("an MCP server's oauth with %s is refused with its line and a hint", (line, problem) => {
  const text = `[[mcp]]\nname = "h"\nurl = "http://localhost:1/"\noauth = { ${line} }\n`
  expect(problemOf(text)).toContain(`f.toml:4: ${problem}`)
})

test('a model in a cycle of fallbacks is reported, but not one that only falls back to the cycle', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => model.replace('"qwen"', `"${name}"`))
  const text = `${one}fallback = "two"\n${two}fallback = "one"\n${three}fallback = "one"\n`
  const problem = (line: number, name: string): string =>
    `f.toml:${line}: the fallbacks of ${name} lead back to it; leave one of them out`
  expect(problemsOf(text)).toEqual([problem(5, 'one'), problem(10, 'two')])
  const fine = `${one}fallback = "two"\nkeep_alive = -1\n${two}fallback = "guide"\n${three}fallback = "two"\nenabled = false\n`
  expect(problemsOf(fine)).toEqual([])
})

test('all problems of a config file are reported with their lines and in order of lines', () => {
  const text = `${model}${model}color = 1\nheat = 2\n[limits]\nturn_s = 0\npresence_per_min = 0\nfoo = 1\nbar = 2\n[[mcp]]\nname = 3\n`
  expect(problemsOf(text)).toEqual([
    'f.toml:6: the name qwen is used twice',
    'f.toml:9: unknown key color',
    'f.toml:10: unknown key heat',
    expect.stringMatching(/^f\.toml:12: limits\.turn_s: /),
    expect.stringMatching(/^f\.toml:13: limits\.presence_per_min: /),
    'f.toml:14: unknown key foo',
    'f.toml:15: unknown key bar',
    expect.stringMatching(/^f\.toml:17: mcp\.name: /),
  ])
})

test.each(['models = 3\n', 'mcp = "x"\n', 'models = [1, [2]]\n', 'limits = []\n'])(
  'a config file with %j instead of a section is refused with its line',
  (text) => {
    expect(problemOf(text)).toMatch(/^f\.toml:1: (models|mcp|limits): /)
  },
)

const webOf = (text: string, env: Record<string, string> = {}) =>
  webFrom(checkConfig(text, 'f.toml').tools.web, env)
const searchOf = (entry: string) => checkConfig(`[tools.web]\nsearch = { ${entry} }\n`, 'f.toml')

test('web access is off without a [tools.web] section', () => expect(webOf('')).toBeUndefined())

test('an empty [tools.web] section turns web_fetch on', () => {
  expect(webOf('[tools.web]\n')).toEqual({ fetch: true, ports: [80, 443] })
})

test('[tools.web] can turn fetching off and name other ports', () => {
  expect(webOf('[tools.web]\nfetch = false\nports = [443, 8443]\n')).toEqual({
    fetch: false,
    ports: [443, 8443],
  })
})

test('a search key is read from the environment variable that api_key_env names', () => {
  const text = '[tools.web]\nsearch = { provider = "google", api_key_env = "KEY", engine_id = "e" }\n'
  const search = { provider: 'google', apiKeyEnv: 'KEY', engineId: 'e' }
  expect(webOf(text, { KEY: ' k\n' })?.search).toEqual({ ...search, apiKey: 'k' })
  expect(webOf(text)?.search).toEqual(search)
})

test.each([
  ['provider = "searxng"', 'say where the SearXNG server is'],
  ['provider = "searxng", url = "localhost:8888"', 'write an address such as'],
  ['provider = "searxng", url = "http://"', 'write an address such as'],
  ['provider = "brave"', 'write the name of the environment variable that holds the key'],
  ['provider = "brave", api_key_env = "sk-1234"', 'not the key'],
  ['provider = "google", api_key_env = "KEY"', 'which Google calls cx'],
  ['provider = "bing"', '"searxng"'],
  ['provider = "brave", api_key_evn = "X"', 'unknown key api_key_evn; did you mean api_key_env?'],
])('a search { %s } is refused with its line and a hint', (entry, why) => {
  expect(() => searchOf(entry)).toThrow(/^f\.toml:2: /)
  expect(() => searchOf(entry)).toThrow(why)
})

test.each(['ports = []', 'ports = [0]', 'ports = [70000]', 'ports = ["80"]', 'fetch = "yes"'])(
  '[tools.web] with %s is refused with its line',
  (line) => expect(() => checkConfig(`[tools.web]\n${line}\n`, 'f.toml')).toThrow(/^f\.toml:2: tools\.web\./),
)
