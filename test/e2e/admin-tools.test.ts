import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lateOptimizing } from '../support/node-flags.ts'
import { calls, says, startModelServer, type ModelServer } from '../support/model-server.ts'
import { sandboxConfig } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { startSite, type Site } from '../support/site.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

/** A tool around one program, as its file was written for another chat program: without `@access` and `@deny`. */
const command = (name: string, template: string): string =>
  `Passes its arguments on to a program.

@title ${name}
@name ${name}
@wrapped run_command
@command ${template}
@param arguments {array<string>} [required] Words for the program
`
const alias = (name: string, base: string): string => `@name ${name}\n@wrapped ${base}\n`

const FILES = {
  'glob.tool': command('Glob', 'find {arguments} -type f'),
  'grep.tool': command('Grep', 'grep {arguments}'),
  'ls.tool': command('LS', 'ls {arguments}'),
  'Read.tool': alias('Read', 'read_file'),
  'WebFetch.tool': alias('WebFetch', 'web_fetch'),
  'WebSearch.tool': alias('web_search', 'google_search'),
}

let dir: string
let config: string
let models: ModelServer
let searxng: Site
let stage: Stage<AnyServer>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-admin-tools-'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(dir, name), text)
  models = await startModelServer()
  searxng = await startSite((_request, response) => {
    const results = [{ title: 'Shawls', url: 'https://shawl.test/', content: 'Warm' }]
    response.end(JSON.stringify({ results }))
  })
  config = `
${sandboxConfig}
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}"

[tools]
dirs = ["${dir}"]
[tools.web]
search = { provider = "searxng", url = "http://127.0.0.1:${searxng.port}" }
`
  stage = await createStageHere({ config })
  await stage.claim('rhea')
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
  await searxng[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const check = (file: string) =>
  execa(process.execPath, [...lateOptimizing, MAIN, 'check', '--config', file], { reject: false })

describe('six files of another program in a directory of the admin', () => {
  test('sshawl check notes six .tool files that replace bundled ones and finds no problem', async () => {
    const { stdout, exitCode } = await check(`${stage.server.dataDir}.toml`)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^no problems$/m)
    for (const name of Object.keys(FILES))
      expect(stdout).toMatch(
        new RegExp(`^note: ${join(dir, name)} takes the place of .*/wrapped-tools/${name}$`, 'mi'),
      )
  })

  test.each([
    ['Glob', { arguments: ['.', '-name', '*.txt'] }, './a.txt'],
    ['Grep', { arguments: ['-rn', 'wool', '.'] }, 'a.txt:1:wool'],
    ['LS', { arguments: ['.'] }, 'a.txt'],
    ['Read', { file_path: 'a.txt' }, 'wool'],
    ['WebFetch', { url: 'http://127.0.0.1/' }, 'ERROR: WebFetch: '],
    ['web_search', { query: 'shawls' }, 'https://shawl.test/'],
    ['web_search', { q: 'shawls' }, 'https://shawl.test/'],
    ['web_search', {}, 'ERROR: web_search: query is required (a string)'],
  ])(
    'a model gets the result of the .tool file %s of the admin for the arguments %j',
    async (name, args, expected) => {
      const files = join(stage.server.dataDir, 'rooms', 'lobby', 'files')
      await mkdir(files, { recursive: true })
      await writeFile(join(files, 'a.txt'), 'wool\n')
      const before = models.requests.length
      models.play(calls(name, args), says('done'))
      const allowed = ['Glob', 'Grep', 'LS', 'google_search', 'web_fetch'].flatMap((tool) => [
        '--allow',
        tool,
      ])
      await stage.as('rhea', ['ask', ...allowed, 'lobby', '@qwen', 'go'])
      const [first, second] = models.requests.slice(before)
      expect(first?.body.tools?.map((tool) => tool.function.name)).toContain(name)
      expect(second?.body.messages.at(-1)).toMatchObject({
        role: 'tool',
        content: expect.stringContaining(expected) as string,
      })
    },
  )
})

describe('sshawl check', () => {
  test('sshawl check and the start reject unknown tool names in tools.disabled', async () => {
    const file = join(dir, 'bad.toml')
    await writeFile(file, '[tools]\ndisabled = ["Grep", "run_comand", "look", "holler_sample", "fork"]\n')
    const problem = (name: string) => `${file}:2: tools.disabled: there is no tool called ${name}`
    const [checked, started] = await Promise.all([
      check(file),
      execa(
        process.execPath,
        [...lateOptimizing, MAIN, 'serve', '--data', join(dir, 'none'), '--config', file],
        {
          reject: false,
        },
      ),
    ])
    const said = checked.stdout.split('\n')
    expect(said.slice(0, 2)).toEqual([
      `${problem('run_comand')}; did you mean run_command?`,
      `${problem('look')}; did you mean sshawl_look?`,
    ])
    // A server that an admin connects may have it.
    expect(said.filter((line) => line.startsWith(problem('')))).toHaveLength(2)
    expect(checked.exitCode).toBe(1)
    expect(started.stderr).toBe(`sshawl: ${problem('run_comand')}; did you mean run_command?`)
    expect(started.exitCode).toBe(2)
    expect(existsSync(join(dir, 'none'))).toBe(false)
  })

  test('sshawl check notes which tools cannot run with the config', async () => {
    const file = join(dir, 'plain.toml')
    await writeFile(file, '[limits]\nturn_depth = 0\n')
    const { stdout, exitCode } = await check(file)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('note: google_search cannot run here: no search provider is configured')
    expect(stdout).toContain('note: fork cannot run here: side turns are off')
  })
})

describe('the arguments of a .tool file', () => {
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

  describe('the arguments of a .tool file built on web_fetch', () => {
    test.each([
      [['http://192.0.32.8/', 'text'], 'Permission denied: fetch http://192.0.32.8/?'],
      [['http://127.0.0.1/', 'raw'], 'is refused: it is a private or local address'],
      [['http://192.0.32.8/', 'xml'], `format must be one of 'markdown', 'text', 'raw', got "xml"`],
      [[], 'arguments are url, format, in this order: at least 1 and at most 2, got 0'],
      [['http://192.0.32.8/', 'text', 'x'], 'at least 1 and at most 2, got 3'],
    ])('a .tool file on web_fetch passes its arguments on as url and format: %j', async (words, answer) => {
      const { stderr, exitCode } = await run('Page', { arguments: words })
      expect(stderr).toContain(answer)
      expect(exitCode).toBe(1)
    })
  })

  test('a .tool file with a parameter unknown to its base tool is skipped and logged', async () => {
    expect((await listed()).map(({ name }) => name)).not.toContain('Astray')
    const lines = stage.server.stderr().split('\n')
    const problem = lines.find((line) => line.includes(join(dir, 'Astray.tool'))) ?? ''
    expect(problem).toContain('web_fetch cannot take @param adress {string}; it takes url {string}, format')
  })

  describe('the search', () => {
    test('the search tool is offered once, as WebSearch, if a scope has all of its names', async () => {
      await stage.as('rhea', ['tools', 'lobby', 'google_search', 'web_search', 'WebSearch'])
      expect(await offered()).toEqual(['WebSearch'])
      const { stdout } = await stage.as('rhea', ['ask', 'lobby', '@guide', 'tools'])
      expect(stdout).toContain('WebSearch')
    })

    test.each(SEARCHES)('the search tool can be called and allowed under the name %s', async (name) => {
      await stage.as('rhea', ['tools', 'lobby', 'on'])
      expect((await run(name, { query: 'shawls' })).stderr).toContain(
        'Permission denied: search for "shawls"?',
      )
      expect(await run(name, { query: 'shawls' }, '--allow', name)).toMatchObject({
        stdout: expect.stringContaining('https://shawl.test/') as string,
        exitCode: 0,
      })
    })

    test.each(['WebSearch', 'web_search', 'google_search'])(
      'the search tool can be added to a scope and removed from it as %s',
      async (name) => {
        await stage.as('rhea', ['tools', 'lobby', name])
        expect(await offered()).toEqual([name])
        await stage.as('rhea', ['tools', 'lobby', `!${name}`])
        expect(await offered()).toEqual([])
      },
    )
  })
})
