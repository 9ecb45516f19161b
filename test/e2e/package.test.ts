import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answer,
  raw,
  says,
  startModelServer,
  type ModelServer,
  type Script,
} from '../support/model-server.ts'
import { openStorage } from '../../src/storage/open.ts'
import { sqliteOptions, temporaryDir } from '../support/storage.ts'

/**
 * The packed package in an empty project: the examples of docs/embedding.md are compiled with `strict` and run there.
 * Its dependencies are linked from this repository, so that no network is needed; with PACKAGE_INSTALL=npm the project
 * gets them with `npm install`, as anybody does (`npm run test:package`).
 */
const ROOT = new URL('../..', import.meta.url).pathname
const WITH_NPM = process.env['PACKAGE_INSTALL'] === 'npm'

/** It checks all types where nothing was built before, beside other tests. */
const BUILD_MS = 240_000

let project: string
let tarball: string
let models: ModelServer

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'sshawl-package-'))
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  tarball = await packInBuildStage()
  await (WITH_NPM ? installWithNpm(tarball) : installByLinks(tarball))
  await writeExamples()
  models = await startModelServer()
}, 300_000 + BUILD_MS)
afterAll(async () => {
  await models[Symbol.asyncDispose]()
  await rm(project, { recursive: true, force: true })
})

/** The package as the Containerfile packs it, from a copy of what it copies. */
async function packInBuildStage(): Promise<string> {
  using dir = temporaryDir()
  const src = join(dir.path, 'src')
  await mkdir(src)
  if (!WITH_NPM) await linkDependencies(src)
  const out = join(project, 'packed')
  await runBuildStage(src, out)
  const [name = ''] = await readdir(out)
  return join(out, name)
}

/**
 * Runs `COPY` and `RUN` of the first stage in `src`, with `out` for the image's /out. Without npm, `npm ci`
 * links.
 */
async function runBuildStage(src: string, out: string): Promise<void> {
  const file = await readFile(join(ROOT, 'docs/deploy/Containerfile'), 'utf8')
  const [stage = ''] = /^FROM .* AS build$.*?(?=^FROM)/ms.exec(file) ?? []
  const ci = WITH_NPM
    ? 'export npm_config_prefer_offline=true'
    : 'npm() { [ "$1" = ci ] || command npm "$@"; }'
  for (const [, step, words = ''] of stage.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    if (step === 'RUN') await execa('sh', ['-c', `${ci}; ${words.replaceAll('/out', out)}`], { cwd: src })
    else {
      const [to = '', ...from] = words.split(' ').toReversed()
      for (const name of from)
        await cp(join(ROOT, name), join(src, from.length > 1 ? name : to), { recursive: true })
    }
  }
}

const installWithNpm = (tarball: string) =>
  execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, 'ai@6.0'], {
    cwd: project,
  })

async function linkDependencies(into: string): Promise<void> {
  const copy = (how: string) => execa('cp', [how, join(ROOT, 'node_modules'), into], { reject: false })
  if ((await copy('-al')).exitCode !== 0) await copy('-a')
}

async function installByLinks(tarball: string): Promise<void> {
  await linkDependencies(project)
  await mkdir(join(project, 'node_modules/sshawl'))
  const into = ['--strip-components=1', '-C', join(project, 'node_modules/sshawl')]
  await execa('tar', ['-xzf', tarball, ...into])
  await mkdir(join(project, 'node_modules/.bin'), { recursive: true })
  await execa('ln', ['-sf', '../sshawl/dist/main.js', join(project, 'node_modules/.bin/sshawl')])
  await execa('chmod', ['+x', join(project, 'node_modules/sshawl/dist/main.js')])
}

/** Every block of the page whose first line names a file. */
async function writeExamples(): Promise<void> {
  const page = await readFile(join(ROOT, 'docs/embedding.md'), 'utf8')
  for (const [, name, text] of page.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs))
    await writeFile(join(project, name!), text!)
  const compilerOptions = {
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2022',
      outDir: 'out',
    },
    ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
  }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'], exclude: ['fit.ts'] }),
  )
  const unchecked = { extends: './tsconfig.json', compilerOptions: { skipLibCheck: true } }
  await writeFile(
    join(project, 'tsconfig.fit.json'),
    JSON.stringify({ ...unchecked, files: ['fit.ts'], include: [] }),
  )
}

/** What the page says that its examples print, in their order. */
async function allPrinted(): Promise<readonly string[]> {
  const page = await readFile(join(ROOT, 'docs/embedding.md'), 'utf8')
  return [...page.matchAll(/It prints\n\n```text\n(.*?)\n```/gs)].map(([, printed]) => printed!)
}

const run = async (...args: readonly string[]): Promise<string> =>
  (await execa(process.execPath, args, { cwd: project })).stdout

/** Runs a script that imports the package and looks at its own process; requests to the system that are ending do not count. */
const evaluate = (script: string): Promise<string> => run('--input-type=module', '--eval', script)

/** What the loop's model asks for first: two calls, the second of which fails. */
const twoCalls = answer([
  { call: { index: 0, id: 'a', name: 'capital', arguments: '{"country":"France"}' } },
  { call: { index: 1, id: 'b', name: 'capital', arguments: '{"country":"Atlantis"}' } },
])

test("the examples of docs/embedding.md compile strictly against the package's types", async () => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  expect(await run(tsc, '-p', project)).toBe('')
  // The declarations of `ai` are not made for `exactOptionalPropertyTypes`.
  expect(await run(tsc, '-p', join(project, 'tsconfig.fit.json'))).toBe('')
})

test('publint finds nothing wrong with the package', async () => {
  const pkgDir = join(project, 'node_modules/sshawl')
  expect((await publint({ pkgDir, pack: false, strict: true })).messages).toEqual([])
})

test.each(['sshawl', 'sshawl/wrap'])(
  'an import of %s starts no timer, handle or signal listener',
  async (door) => {
    const script = `
      const before = process.getActiveResourcesInfo().length
      const sshawl = await import('${door}')
      const started = process.getActiveResourcesInfo().slice(before).filter((name) => !name.endsWith('Req'))
      console.log(JSON.stringify([started, typeof sshawl.createChat, process.listenerCount('SIGTERM')]))`
    expect(JSON.parse(await evaluate(script))).toEqual([[], 'function', 0])
  },
)

/** Returns the packages whose files Node loads for a script, as its record of code coverage says. */
async function loadedPackages(script: string): Promise<ReadonlySet<string>> {
  using dir = temporaryDir()
  const env = { NODE_V8_COVERAGE: dir.path }
  await execa(process.execPath, ['--input-type=module', '--eval', script], { cwd: project, env })
  const records = await Promise.all(
    (await readdir(dir.path)).map((name) => readFile(join(dir.path, name), 'utf8')),
  )
  const loaded = records.flatMap((record) => (JSON.parse(record) as { result: { url: string }[] }).result)
  return new Set(loaded.flatMap(({ url }) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
}

test("sshawl/wrap loads no package of the server's other parts", async () => {
  expect([...(await loadedPackages("await import('sshawl/wrap')"))].toSorted()).toEqual([
    ...['fastest-levenshtein', 'sshawl', 'tiktoken'],
  ])
})

/** An answer that is not streamed, with one call or a text. */
const whole = (message: object, reason: string): Script =>
  raw(
    JSON.stringify({
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 0, model: 'test' },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    }),
    'application/json',
  )

const wholeCall = (id: string, name: string, args: object): Script => {
  const called = { name, arguments: JSON.stringify(args) }
  return whole({ content: null, tool_calls: [{ id, type: 'function', function: called }] }, 'tool_calls')
}

test("the example fit.js fits a hundred tools into 8,000 tokens and sends them with the AI SDK's generateText", async () => {
  const from = models.requests.length
  await writeFile(
    join(project, 'log.txt'),
    Array.from({ length: 9000 }, (_, n) => `user: line ${n}\n`).join(''),
  )
  models.play(
    wholeCall('a', 'find_tools', { query: 'table_42' }),
    wholeCall('b', 'table_42', { row: 7 }),
    wholeCall('c', 'table_13', { row: 1 }),
    whole({ content: 'It has 294.' }, 'stop'),
  )
  const [, used, sent] = /^It has 294\. \((\d+) of 8000 tokens, (\d+) functions\)$/.exec(
    await run('out/fit.js', models.endpoint),
  )!
  expect(Number(used)).toBeGreaterThan(7500)
  expect(Number(used)).toBeLessThanOrEqual(8000)
  const requests = models.requests.slice(from).map(({ body }) => body)
  const names = requests[0]!.tools!.map((tool) => tool.function.name)
  expect(names).toHaveLength(Number(sent))
  expect(names).not.toContain('table_13')
  expect(requests[0]!.messages).toMatchObject([
    {
      role: 'system',
      content: expect.stringMatching(/^You answer from tables, and briefly\.\n\n/) as string,
    },
    { role: 'user', content: 'What is in row 7 of table 42?' },
  ])
  expect(requests[0]!.messages[0]!.content).toMatch(/line 8998\nuser: line 8999\n?$/)
  const results = requests.at(-1)!.messages.filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringContaining('table_42 {row: integer}') as string,
    'row 7 of table 42 has 294',
    expect.stringContaining('table_13') as string,
  ])
})

test('the example ask.js asks on the terminal before a tool of its own runs', async () => {
  const from = models.requests.length
  models.play(
    wholeCall('a', 'keep_note', { text: 'buy milk' }),
    wholeCall('b', 'keep_note', { text: 'buy gold' }),
    whole({ content: 'I kept the milk.' }, 'stop'),
  )
  const program = spawn(process.execPath, ['out/ask.js', models.endpoint], { cwd: project })
  const ended = once(program, 'close')
  const typed = ['Keep two notes.', 'y', 'n']
  let shown = ''
  for await (const piece of program.stdout.setEncoding('utf8')) {
    shown += String(piece)
    if (/[>?] $/.test(shown)) program.stdin.write(`${typed.shift()}\n`)
  }
  expect((await ended)[0]).toBe(0)
  expect(shown).toBe(
    '> May it use keep_note {"text":"buy milk"}? May it use keep_note {"text":"buy gold"}? I kept the milk.\n',
  )
  expect(await readFile(join(project, 'notes.txt'), 'utf8')).toBe('buy milk\n')
  const results = models.requests
    .slice(from)
    .at(-1)!
    .body.messages.filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    'kept',
    'ERROR: Permission denied: use keep_note {"text":"buy gold"}? (the user said no)',
  ])
})

test('the example catalogue.js filters and prices tools and prints what the page says', async () => {
  expect(await run('out/catalogue.js')).toBe((await allPrinted()).at(0))
})

test('the example calls.js runs calls without a model and prints what the page says', async () => {
  expect(await run('out/calls.js')).toBe((await allPrinted()).at(1))
})

test("the example files.js gives the server's tools one directory and prints what the page says", async () => {
  expect(await run('out/files.js')).toBe((await allPrinted()).at(2))
})

test("a tool of the package can ask its conversation's model, and those tokens are counted", async () => {
  const from = models.requests.length
  const call = { index: 0, id: 'a', name: 'translate', arguments: '{"text":"good morning"}' }
  models.play(answer([{ call }]), says('bonjour'), says('It is bonjour.'))
  expect(await run('out/translate.js', models.endpoint)).toBe('It is bonjour. (33 tokens in, 21 out)')
  const [, question, last] = models.requests.slice(from).map(({ body }) => body)
  expect(question?.messages).toEqual([{ role: 'user', content: 'In French, and nothing else: good morning' }])
  expect(question?.tools ?? []).toEqual([])
  expect(last?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'bonjour' })
})

test('the package names the wrong field of a tool or a message in one sentence', async () => {
  const script = `
      const { createChat, createModel, defineTool } = await import('sshawl')
      const chat = createChat({ model: createModel({ name: 'g', backend: 'guide', model: 'g' }) })
      const tried = [
        async () => defineTool({ id: 'a', description: 'A.', access: 'read', parameters: {}, run: 'x' }),
        () => chat.sendAppend([{ role: 'system', text: 'x' }]),
      ]
      for (const one of tried) await one().catch(({ message }) => console.log(message))`
  expect((await evaluate(script)).split('\n')).toEqual([
    'defineTool: run must be a function, got "x"',
    `messages[0].role must be one of 'user', 'assistant', 'tool', 'note', got "system"`,
  ])
})

test('the example loop.js has a conversation with tool calls, one of which fails', async () => {
  const from = models.requests.length
  const note = answer([{ call: { index: 0, id: 'a', name: 'remember', arguments: '{"note":"Paris"}' } }])
  models.play(twoCalls, note, says('Paris. ', 'Atlantis has none.'), says('Welcome.'))
  expect((await run('out/loop.js', models.endpoint)).split('\n')).toEqual([
    'capital: Paris',
    'capital: ERROR: capital: there is no country called Atlantis here',
    '(noted: Paris)',
    'remember: kept, for qwen, after 6 messages',
    'Paris. Atlantis has none. (33 tokens in, 21 out)',
    'Welcome.',
  ])
  const [first, second, third, fourth] = models.requests.slice(from).map(({ body }) => body)
  expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  expect(first?.tools?.map((tool) => tool.function.name)).toEqual(['shout', 'capital', 'remember'])
  expect(second?.messages.slice(2)).toMatchObject([
    { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
    { role: 'tool', tool_call_id: 'a', content: 'Paris' },
    { role: 'tool', tool_call_id: 'b', content: expect.stringMatching(/^ERROR: /) as string },
  ])
  const ids = third?.messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])
  expect(new Set(ids).size).toBe(3)
  expect(fourth?.messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: 'Paris. Atlantis has none.' },
    { role: 'user', content: 'Thank you.' },
  ])
  expect(fourth?.tools?.map((tool) => tool.function.name)).toEqual(['shout'])
})

test('a listener can run the calls, and its exception becomes an error that the model reads', async () => {
  const from = models.requests.length
  const both = answer([
    { call: { index: 0, id: 'a', name: 'other', arguments: '{}' } },
    { call: { index: 1, id: 'b', name: 'shout', arguments: '{"text":"hello"}' } },
  ])
  models.play(both, says('HELLO it is.'))
  expect((await run('out/listener.js', models.endpoint)).split('\n')).toEqual([
    'HELLO it is.',
    ...['user', 'assistant', 'tool', 'tool', 'assistant'],
  ])
  expect(models.requests[from + 1]?.body.messages.slice(-2)).toMatchObject([
    { tool_call_id: 'a', content: 'ERROR: other: only shouting is done here' },
    { tool_call_id: 'b', content: 'HELLO' },
  ])
})

test('the example prompt.js composes a prompt within its budget and exits', async () => {
  expect((await run('out/prompt.js')).split('\n')).toEqual(['true shout', 'true 3000'])
})

test('npx sshawl serve creates its database in an empty directory', async () => {
  const empty = await mkdtemp(join(project, 'empty-'))
  const env = { HOME: empty, PATH: process.env['PATH'] }
  const line = ['--no-install', 'sshawl', 'serve', '--listen', '127.0.0.1:0', '--data', join(empty, 'data')]
  const server = execa('npx', line, { cwd: empty, env, extendEnv: false, reject: false, detached: true })
  try {
    for await (const text of server.iterable()) {
      if (!text.startsWith('sshawl listening on ssh://127.0.0.1:')) continue
      process.kill(-server.pid!, 'SIGTERM')
      break
    }
    expect(await readFile(join(empty, 'data', 'sshawl.db'))).not.toHaveLength(0)
  } finally {
    await server
  }
})

test('the build stage of the Containerfile packs the package from the files that it copies', async () => {
  const { stdout } = await execa('tar', ['-tzf', tarball])
  const files = ['LICENSE', 'dist/main.js', 'dist/index.d.ts', 'dist/wrap.js', 'dist/wrap.d.ts']
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(files.map((name) => `package/${name}`)))
})

test.each([
  ['SIGTERM', []],
  // What was built for the first need not be built again.
  ['SIGINT', ['--ignore-scripts']],
] as const)(
  'npm start passes %s to the server and exits with status 0',
  async (signal, flags) => {
    using dir = temporaryDir()
    const npm = spawn(
      'npm',
      ['start', ...flags, '--', '--listen', '127.0.0.1:0', '--data', join(dir.path, 'data')],
      {
        cwd: new URL('../..', import.meta.url).pathname,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const ended = once(npm, 'close')
    for await (const line of createInterface({ input: npm.stdout }))
      if (line.startsWith('sshawl listening')) break
    npm.kill(signal)
    expect((await ended)[0]).toBe(0)
    // The data is free again only once the server itself is gone; another's is refused.
    await using storage = await openStorage(sqliteOptions(join(dir.path, 'data')))
    expect(await storage.upkeep.health()).toBeUndefined()
  },
  BUILD_MS,
)
