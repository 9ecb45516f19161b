import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { startSite, type Site } from '../support/site.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

/** A file that is built on `web_fetch`, with these parameters. */
const page = (name: string, params: string): string =>
  `Reads a page.\n\n@title ${name}\n@name ${name}\n@wrapped web_fetch\n${params}\n`

const FILES = {
  'Page.tool': page('Page', '@param arguments {array<string>} [required] The address, then the format'),
  'Astray.tool': page('Astray', '@param adress {string} [required] The address'),
  'Finder.tool': '@name Finder\n@wrapped WebSearch\n',
  'Seeker.tool': '@name Seeker\n@wrapped web_search\n',
}

let dir: string
let searxng: Site
let stage: Stage<AnyServer>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-wrapped-words-'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(dir, name), text)
  searxng = await startSite((_request, response) => {
    const results = [{ title: 'Shawls', url: 'https://shawl.test/', content: 'Warm' }]
    response.end(JSON.stringify({ results }))
  })
  const search = `{ provider = "searxng", url = "http://127.0.0.1:${searxng.port}" }`
  stage = await createStageHere({
    isShared: true,
    config: `[tools]\ndirs = ["${dir}"]\n[tools.web]\nsearch = ${search}\n`,
  })
  await stage.claim('rhea')
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await searxng[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const run = (tool: string, args: object, ...flags: string[]) =>
  stage.as('rhea', ['run', ...flags, 'lobby', tool, JSON.stringify(args)])

interface Listed {
  readonly name: string
  readonly visible: boolean
}
async function listed(): Promise<readonly Listed[]> {
  const { stdout } = await stage.as('rhea', ['tools', 'lobby', '--json'])
  return (JSON.parse(stdout) as { tools: readonly Listed[] }).tools
}
const SEARCHES = ['google_search', 'WebSearch', 'web_search', 'Finder', 'Seeker']
const offered = async () =>
  (await listed()).flatMap(({ name, visible }) => (visible && SEARCHES.includes(name) ? name : []))

describe('the words of a .tool file on web_fetch', () => {
  test.each([
    [['http://192.0.32.8/', 'text'], 'Permission denied: fetch http://192.0.32.8/?'],
    [['http://127.0.0.1/', 'raw'], 'is refused: it is a private or local address'],
    [['http://192.0.32.8/', 'json'], `format must be one of 'markdown', 'text', 'raw', got "json"`],
    [[], 'arguments are url, format, in this order: at least 1 and at most 2, got 0'],
    [['http://192.0.32.8/', 'text', 'x'], 'at least 1 and at most 2, got 3'],
  ])('become its url and its format: %j', async (words, answer) => {
    const { stderr, exitCode } = await run('Page', { arguments: words })
    expect(stderr).toContain(answer)
    expect(exitCode).toBe(1)
  })

  test('are taken from the call of a model, too', async () => {
    const call = 'call Page {"arguments":["http://192.0.32.8/","text"]}'
    const { stdout } = await stage.as('rhea', ['ask', 'lobby', '@guide', call])
    expect(stdout).toContain('Permission denied: fetch http://192.0.32.8/?')
  })
})

test('a file with a parameter that its base cannot take is no tool, and the log has the file and the reason', async () => {
  expect((await listed()).map(({ name }) => name)).not.toContain('Astray')
  const lines = stage.server.stderr().split('\n')
  const problem = lines.find((line) => line.includes(join(dir, 'Astray.tool'))) ?? ''
  expect(problem).toContain('web_fetch cannot take @param adress {string}; it takes url {string}, format')
})

describe('the search', () => {
  test('is offered once, as WebSearch, if a scope has all of its names', async () => {
    await stage.as('rhea', ['tools', 'lobby', 'google_search', 'web_search', 'WebSearch'])
    expect(await offered()).toEqual(['WebSearch'])
    const { stdout } = await stage.as('rhea', ['ask', 'lobby', '@guide', 'tools'])
    expect(stdout).toContain('WebSearch')
  })

  test.each(SEARCHES)('is called and allowed under the name %s', async (name) => {
    await stage.as('rhea', ['tools', 'lobby', 'on'])
    expect((await run(name, { query: 'shawls' })).stderr).toContain('Permission denied: search for "shawls"?')
    expect(await run(name, { query: 'shawls' }, '--allow', name)).toMatchObject({
      stdout: expect.stringContaining('https://shawl.test/') as string,
      exitCode: 0,
    })
  })

  test.each(['WebSearch', 'web_search', 'google_search'])('can be scoped as %s', async (name) => {
    await stage.as('rhea', ['tools', 'lobby', name])
    expect(await offered()).toEqual([name])
    await stage.as('rhea', ['tools', 'lobby', `!${name}`])
    expect(await offered()).toEqual([])
  })
})
