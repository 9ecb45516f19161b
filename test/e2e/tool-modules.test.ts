import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { createStage, type Stage, createStageHere } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'
import { answer, calls, hang, startModelServer, type ModelServer } from '../support/model-server.ts'
import type { AnyServer } from '../support/server.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const MAIN = join(ROOT, 'dist/main.js')
const CONFIG = '[tools]\nmodules = ["./my-tools.js", "broken.js", "more.js"]\n'

const inDir = (file: string): string => join(stage.dir, file)

/** The example of docs/tools.md, as it stands there. */
async function example(): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/tools.md'), 'utf8')
  return /```js\n\/\/ my-tools\.js\n(.*?)```/s.exec(page)![1]!
}

const sshawl = (...args: readonly string[]) =>
  execa(process.execPath, [...lateOptimizing, MAIN, ...args], { reject: false })
const check = () => sshawl('check', '--config', inDir('data.toml'), '--data', inDir('data'))
const reload = () => sshawl('reload', '--data', inDir('data'))
const run = (who: string, tool: string, args: object) =>
  stage.as(who, ['run', 'lobby', tool, JSON.stringify(args)])
const published = (page: string) =>
  readFile(inDir(`data/rooms/lobby/files/site/${page}.txt`), 'utf8').catch(() => undefined)

const stage = await forAllTests(createStage({ config: '', isShared: true }))
await writeFile(inDir('my-tools.js'), await example())
await writeFile(inDir('broken.js'), 'export const a = 1\nthrow new Error("no\\nluck")\n')
await writeFile(inDir('more.js'), 'export const tools = []\n')
await writeConfig(inDir('data'), CONFIG)
await sshawl('reload', '--data', inDir('data'))
await stage.claim('rhea')

test("a module's reading tool runs from a script with checked arguments", async () => {
  expect(await run('alice', 'to_roman', { number: 14 })).toMatchObject({ stdout: 'XIV\n', exitCode: 0 })
  expect(await run('alice', 'to_roman', { number: 'x' })).toMatchObject({
    stderr: expect.stringContaining('to_roman: number must be an integer, got "x"') as string,
    exitCode: 1,
  })
})

test("a module's writing tool is denied to a member's script", async () => {
  const denied = await run('alice', 'publish', { page: 'a', text: 'unasked' })
  expect(denied.exitCode).toBe(1)
  expect(denied.stderr).toContain('Permission denied: use publish {"page":"a","text":"unasked"}?')
  expect(denied.stderr).toContain('no script of alice can allow it in ')
  expect(await published('a')).toBeUndefined()
})

test("/allow room on a module's tool applies to exactly the same arguments", async () => {
  await using alice = await stage.open('alice', '-T')
  await alice.waitFor(/alice/)
  const call = (page: string) => `/run publish {"page":"${page}","text":"hello"}\n`
  alice.write(call('home'))
  await alice.waitFor('question 1: may alice use publish (write)?')
  expect(await published('home')).toBeUndefined()
  alice.write('/allow room 1\n')
  await alice.waitFor('published home')
  expect(await published('home')).toBe('hello')

  const again = alice.output().length
  alice.write(call('home'))
  await alice.waitFor('published home', again)
  expect(alice.output().slice(again)).not.toContain('question')

  alice.write(call('other'))
  await alice.waitFor('question 2: may alice use publish (write)?')
  alice.write('/deny 2\n')
  await alice.waitFor('Permission denied: use publish')
  expect(await published('other')).toBeUndefined()
})

test('an invalid module is reported in one line by check and reload, but other tools still run', async () => {
  const [{ stdout, exitCode }, reloaded] = await Promise.all([check(), reload()])
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining([
      `${inDir('broken.js')}:2: it cannot be loaded: no`,
      `${inDir('more.js')}:1: it exports no tool: see defineTool, or give a function a property \`tool\``,
      '2 problems',
    ]),
  )
  expect(exitCode).toBe(1)
  expect(reloaded.stderr).toContain(`sshawl: ${inDir('broken.js')}:2: it cannot be loaded: no\n`)
  expect(await run('alice', 'to_roman', { number: 4 })).toMatchObject({ stdout: 'IV\n' })
})

test("sshawl check warns of a module's tool that a provider would reject", async () => {
  const named = (schema: string): string =>
    `{ title: 'T', description: 'D.', access: 'read', run: async () => ({ content: '', isError: false }), schema: ${schema} }`
  await writeFile(
    inDir('more.js'),
    `export const a = { id: 'spaced', ...${named("{ type: 'object', properties: { 'a b': {} } }")} }
       export const b = { id: 'drafted', ...${named("{ type: 'object', properties: { a: { items: [] } } }")} }`,
  )
  const claude = '[[models]]\nname = "claude"\nbackend = "anthropic"\nmodel = "m"\napi_key_env = "A_KEY"\n'
  await writeFile(inDir('claude.toml'), `${CONFIG}${claude}`)
  const { stdout } = await execa(
    process.execPath,
    [...lateOptimizing, MAIN, 'check', '--config', inDir('claude.toml'), '--data', inDir('data')],
    { reject: false, env: { A_KEY: 'x' } },
  )
  expect(stdout).toContain(
    'warning: @claude is not offered spaced: its provider takes no parameter called "a b"\n',
  )
  expect(stdout).toContain(
    'warning: drafted is hidden: its schema is no JSON Schema of draft 2020-12: properties.a.items must be a schema\n',
  )
})

test('a reload reports what is wrong with each tool of a module: id, description, type or taken id', async () => {
  const plain = (more: string): string => `Object.assign(() => 'x', { tool: { access: 'read', ${more} } })`
  await writeFile(
    inDir('more.js'),
    `export const a = ${plain("id: 'not an id', description: 'A.'")}
       export const b = ${plain("id: 'b', description: ' '")}
       export const c = ${plain("id: 'c', description: 'C.', parameters: { p: { type: 'text', description: 'P.' } }")}
       export const d = ${plain("id: 'read_file', description: 'D.'")}
       export const e = ${plain("id: 'to_roman', description: 'E.'")}
       export const f = { id: 'f', run: 3 }
       export const g = ${plain("id: 'look', description: 'G.'")}
       export const h = ${plain("id: 'RUN_COMMAND', description: 'H.'")}
       export const i = ${plain("id: 'Module', description: 'I.'")}
       export const j = ${plain("id: '__proto__', description: 'J.'")}
       export const fine = ${plain("description: 'Says x.'")}
       export const nothing = Object.assign(() => undefined, { tool: { id: 'nothing', access: 'read', description: 'N.' } })
       export const unrelated = { a: 1 }`,
  )
  await writeFile(inDir('broken.js'), 'export const tools = [')
  const { stderr } = await reload()
  const lines = stderr.split('\n').map((line) => line.replace(`sshawl: ${stage.dir}/`, ''))
  expect(lines).toEqual([
    expect.stringMatching(/^broken\.js:1: it cannot be loaded: Unexpected end of input$/),
    'more.js:1: export a: tool.id: must be 1-64 letters, digits, _ and -',
    'more.js:1: export b: tool.description: must say what it is for',
    expect.stringMatching(/^more\.js:1: export c: tool\.parameters\.p\.type: .*"string"\|"number"/),
    expect.stringMatching(/^more\.js:1: export f: .*title/),
    'more.js:1: export i: tool.id: is reserved; choose another',
    'more.js:1: export j: tool.id: is reserved; choose another',
    'more.js:1: the id read_file is taken by a tool of the server; choose another',
    `more.js:1: the id to_roman is taken by ${inDir('my-tools.js')}; choose another`,
    'more.js:1: the id look is taken by a tool of the server; choose another',
    'more.js:1: the id RUN_COMMAND is taken by a tool of the server; choose another',
  ])
  expect(await run('alice', 'fine', {})).toMatchObject({ stdout: 'x\n' })
  expect(await run('alice', 'nothing', {})).toMatchObject({
    stderr: expect.stringContaining(
      'nothing: it gave back neither a text nor { content, isError }',
    ) as string,
  })
})

test('a module that no longer loads keeps its old tools until it is fixed', async () => {
  await writeFile(inDir('more.js'), 'export const list = []')
  await writeFile(inDir('my-tools.js'), 'throw 1')
  expect((await reload()).stderr).toContain('my-tools.js:1: it cannot be loaded: 1\n')
  expect(await run('alice', 'to_roman', { number: 9 })).toMatchObject({ stdout: 'IX\n' })
  await writeFile(inDir('my-tools.js'), (await example()).replace("'to_roman'", "'numerals'"))
  await reload()
  expect(await run('alice', 'numerals', { number: 9 })).toMatchObject({ stdout: 'IX\n' })
  expect((await run('alice', 'to_roman', { number: 9 })).stderr).toContain('no tool to_roman; ')
})

test('an unknown name in tools.disabled is reported if all modules load', async () => {
  await writeFile(inDir('broken.js'), await example())
  await writeFile(inDir('data.toml'), '[tools]\nmodules = ["broken.js"]\ndisabled = ["publish", "publsh"]\n')
  const line = `${inDir('data.toml')}:3: tools.disabled: there is no tool called publsh; did you mean publish?`
  const [checked, reloaded] = await Promise.all([check(), reload()])
  expect(checked.stdout).toContain(line)
  expect(reloaded.stderr).toContain(line)
  expect((await run('alice', 'publish', {})).stderr).toContain('no tool publish; ')
})

describe('a module that asks a model', () => {
  /** A module as somebody writes it: its tool asks whichever model called it. */
  const MODULE = `
export async function sum_up({ text }, { chat }) {
  if (!chat.model) return 'ERROR: sum_up: only a model can call it'
  const { text: short, usage } = await chat.model.ask([{ role: 'user', text: 'In two words: ' + text }])
  return chat.model + ' says: ' + short + ' (' + usage.output + ')'
}
sum_up.tool = {
  description: 'Sums up a text.',
  access: 'read',
  parameters: { text: { type: 'string', description: 'The text.' } },
}
`

  let dir: string
  let stage: Stage<AnyServer>
  let models: ModelServer

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sshawl-asked-'))
    await writeFile(join(dir, 'sum-up.js'), MODULE)
    models = await startModelServer()
    stage = await createStageHere({
      isShared: true,
      config: `
[tools]
modules = ["${join(dir, 'sum-up.js')}"]
[limits]
tokens_per_person_day = 400
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}/v1"
context_window = 16000
price = { input = 2, output = 10 }
`,
    })
    await stage.claim('rhea')
    await stage.as('rhea', ['tools', 'lobby', 'sum_up'])
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await models[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  })

  const ask = (who: string, text: string) => stage.as(who, ['ask', 'lobby', '@qwen', text])
  const uses = (input: number, output: number, text: string) => answer([{ text }], { usage: [input, output] })
  const callsIt = calls('sum_up', { text: 'a long story' })

  /** What the lobby's models used so far, as `usage` says it. */
  async function used(): Promise<{
    readonly requests: number
    readonly input: number
    readonly cost: string
  }> {
    const { stdout } = await stage.as('rhea', ['usage', 'lobby', '--json'])
    return JSON.parse(stdout).models.find(({ model }: { model: string }) => model === 'qwen')
  }

  /** What the model was sent of the last call's result. */
  const lastResult = (): unknown => models.requests.at(-1)?.body.messages.at(-1)?.content

  describe("a module's tool that asks the model that called it", () => {
    test('a tool that asks its model gets the answer, and usage includes its request', async () => {
      models.play(callsIt, uses(100, 5, 'all well'), uses(20, 3, 'It ends well.'))
      expect(await ask('alice', 'sum up')).toMatchObject({
        stdout: 'It ends well.\n',
        stderr: '',
        exitCode: 0,
      })
      const [, question] = models.requests.slice(-3).map(({ body }) => body)
      expect(question!.messages).toEqual([{ role: 'user', content: 'In two words: a long story' }])
      expect(question!.tools ?? []).toEqual([])
      expect(lastResult()).toBe('qwen says: all well (5)')
      expect(await used()).toMatchObject({ requests: 3, input: 131, output: 15, cost: '0.000412' })
      const { stdout } = await stage.as('alice', ['history', 'lobby', '-n', '1', '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ usage: { input: 131, output: 15 }, cost: '0.000412' })
    })

    test("a tool cannot ask its model if the requester's token quota is used up", async () => {
      models.play(
        answer([{ call: { index: 0, id: 'a', name: 'sum_up', arguments: '{"text":"x"}' } }], {
          usage: [390, 10],
        }),
      )
      const before = models.requests.length
      const { stderr, exitCode } = await ask('bob', 'sum up')
      expect(exitCode).toBe(1)
      expect(stderr).toContain('the quota of bob (tokens_per_person_day) is used up: 400 of 400')
      expect(models.requests).toHaveLength(before + 1)
      const { stdout } = await stage.as('bob', ['history', 'lobby', '-n', '4', '--json'])
      expect(stdout).toContain('ERROR: sum_up: the quota of bob (tokens_per_person_day) is used up')
    })

    test('a stopped turn aborts the model request of its tool', async () => {
      models.play(callsIt, hang())
      const before = models.requests.length
      const asking = ask('carol', 'sum up')
      await models.arrived(before + 2)
      expect((await stage.as('carol', ['stop', 'lobby'])).exitCode).toBe(0)
      expect((await asking).exitCode).toBe(1)
      await models.abandoned()
    })

    test('a tool has no model to ask if a person runs it', async () => {
      expect(await stage.as('alice', ['run', 'lobby', 'sum_up', '{"text":"x"}'])).toMatchObject({
        stderr: expect.stringContaining('sum_up: only a model can call it') as string,
        exitCode: 1,
      })
    })
  })
})
