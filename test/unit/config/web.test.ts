import { describe, expect, test } from 'vitest'
import { checkConfig } from '../../../src/config/file.ts'
import { webFrom } from '../../../src/config/web.ts'

const webOf = (text: string, env: Record<string, string> = {}) =>
  webFrom(checkConfig(text, 'f.toml').tools.web, env)
const searchOf = (entry: string) => checkConfig(`[tools.web]\nsearch = { ${entry} }\n`, 'f.toml')

describe('[tools.web]', () => {
  test('absent: there is no web', () => expect(webOf('')).toBeUndefined())

  test('turns reading pages on by being there', () => {
    expect(webOf('[tools.web]\n')).toEqual({ fetch: true, ports: [80, 443] })
  })

  test('can leave reading out, and name other ports', () => {
    expect(webOf('[tools.web]\nfetch = false\nports = [443, 8443]\n')).toEqual({
      fetch: false,
      ports: [443, 8443],
    })
  })

  test('takes the key of a search from the environment, by name', () => {
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
  ])('refuses { %s } and says what to write', (entry, why) => {
    expect(() => searchOf(entry)).toThrow(/^f\.toml:2: /)
    expect(() => searchOf(entry)).toThrow(why)
  })

  test.each(['ports = []', 'ports = [0]', 'ports = [70000]', 'ports = ["80"]', 'fetch = "yes"'])(
    'refuses %s',
    (line) =>
      expect(() => checkConfig(`[tools.web]\n${line}\n`, 'f.toml')).toThrow(/^f\.toml:2: tools\.web\./),
  )
})
