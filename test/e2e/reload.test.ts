import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { temporaryDir } from '../support/storage.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { calls, says, startModelServer, type Script } from '../support/model-server.ts'
import { createStage } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'
import { createDeferred } from '../../src/base/jobs/waiting.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

/** The config with a model of this name behind `@qwen`, and more lines. */
const configWith = (model: string, more = ''): string => `${more}
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "${model}"
endpoint = "${models.endpoint}"
`
const toolsSection = (more = ''): string => `[tools]\ndirs = ["${tools}"]\n${more}`
const alias = (name: string): string => `@name ${name}\n@wrapped calculator\n`
const modelOf = (name: string, model: string): string =>
  configWith(model).trim().replace('"qwen"', `"${name}"`)

const models = await forAllTests(startModelServer())
const tools = (await forAllTests(temporaryDir())).path
await writeFile(join(tools, 'Sum.tool'), alias('Sum'))
await writeFile(join(tools, 'Gone.tool'), '@name Gone\n@wrapped todo_read\n')
const stage = await forAllTests(createStage({ config: configWith('first', toolsSection()) }))
const file = `${stage.server.dataDir}.toml`
await stage.claim('rhea')

/** Sends SIGHUP and waits until the server has said this since. */
async function hangUp(said: RegExp): Promise<string> {
  const before = stage.server.stderr().length
  stage.server.process.kill('SIGHUP')
  await expect.poll(() => stage.server.stderr().slice(before), { timeout: 10_000 }).toMatch(said)
  return stage.server.stderr().slice(before)
}

const configure = (config: string) => writeConfig(stage.server.dataDir, config)
const DONE = /"msg":"the config was read again"/
const reload = () =>
  execa(process.execPath, [...lateOptimizing, MAIN, 'reload', '--data', stage.server.dataDir], {
    reject: false,
  })
const named = (at: number): readonly string[] =>
  models.requests[at]?.body.tools?.map((tool) => tool.function.name) ?? []

test("SIGHUP in a running turn keeps the turn's model, and changes its tools from the next step", async () => {
  const answerNow = createDeferred<void>()
  const held: Script = async (response, request) => {
    await answerNow.promise
    await calls('Sum', { expression: '2 + 3' })(response, request)
  }
  models.play(held, says('five'))
  const asked = stage.as('rhea', ['ask', 'lobby', '@qwen', 'add'])
  await models.arrived(1)

  await rm(join(tools, 'Gone.tool'))
  await writeFile(join(tools, 'Sum.tool'), '@name Sum\n')
  await configure(
    `${configWith('second', toolsSection('disabled = ["todo_read"]\n'))}\n${modelOf('newer', 'third')}\n`,
  )
  // What is wrong is printed after it was logged.
  const said = await hangUp(/\nsshawl: .*Sum\.tool:1: @wrapped is missing/)
  const problem = `${join(tools, 'Sum.tool')}:1: @wrapped is missing`
  expect(said).toContain(`sshawl: ${problem}`)
  expect(said).toMatch(/"level":"error".*"problem":".*Sum\.tool:1: @wrapped is missing/)
  answerNow.resolve()
  expect((await asked).stdout).toBe('five\n')

  expect(models.requests.map(({ body }) => body.model)).toEqual(['first', 'first'])
  expect(named(0)).toEqual(expect.arrayContaining(['Sum', 'Gone']))
  expect(named(1)).toContain('Sum')
  for (const gone of ['Gone', 'todo_read']) expect(named(1)).not.toContain(gone)
  expect(models.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: '5' })

  models.play(says('second'), says('third'))
  for (const name of ['qwen', 'newer']) await stage.as('rhea', ['ask', 'lobby', `@${name}`, 'you?'])
  expect(models.requests.slice(2).map(({ body }) => body.model)).toEqual(['second', 'third'])
})

test('SIGHUP reduces the tools that a running turn may call', async () => {
  await writeFile(join(tools, 'Sum.tool'), alias('Sum'))
  await configure(configWith('first', toolsSection()))
  await hangUp(DONE)
  const before = models.requests.length
  const answerNow = createDeferred<void>()
  const held: Script = async (response, request) => {
    await answerNow.promise
    await calls('Sum', { expression: '2 + 3' })(response, request)
  }
  models.play(held, says('no'))
  const asked = stage.as('rhea', ['ask', 'lobby', '@qwen', 'add'])
  await models.arrived(before + 1)
  await configure(`${configWith('first', toolsSection())}tools = ["look"]\n`)
  await hangUp(DONE)
  answerNow.resolve()
  await asked
  expect(named(before + 1)).toEqual(['look'])
  expect(models.requests[before + 1]?.body.messages.at(-1)).toMatchObject({
    content: expect.stringContaining("You requested a tool called 'Sum'") as string,
  })
})

test('SIGHUP with a broken config changes nothing and logs where it is broken', async () => {
  await configure(configWith('first', `${toolsSection()}[server]\nmotd = "hello"\n`))
  await hangUp(DONE)
  await configure(configWith('first', '[server]\nmotd = "bye"\n[limits]\nturn_step = 3\n'))
  // What is wrong is printed after it was logged.
  const said = await hangUp(/\nsshawl: .*turn_steps\?\n/)
  expect(said).toContain(`sshawl: ${file}:4: unknown key turn_step; did you mean turn_steps?\n`)
  await using session = await stage.open('ann', '-T')
  await session.waitFor('hello')
  expect(session.output()).not.toContain('bye')
})

test('SIGHUP applies changed limits, motd, admins and access', async () => {
  const key = await stage.home.fingerprint('ann')
  expect((await stage.as('ann', ['whoami'])).stdout).not.toContain('admin')
  const server = `[server]\naccess = "closed"\nmotd = "new words"\nadmins = ["${key}"]\n`
  await configure(configWith('first', `${server}[limits]\nmessage_chars = 10\nexec_per_person = 1\n`))
  await hangUp(DONE)
  expect((await stage.as('ann', ['whoami'])).stdout).toContain('admin')
  expect((await stage.as('ann', ['say', 'lobby', 'more than ten characters'])).stderr).toContain(
    'the message has 24 characters and 10 are allowed',
  )
  expect((await stage.as('stranger', ['whoami'])).stderr).toContain('Permission denied')
  await using session = await stage.open('ann', '-T')
  await session.waitFor('new words')
})

test('sshawl reload exits with 0 and lists the keys that need a restart', async () => {
  await configure(configWith('first', '[sandbox]\ndisk_mb = 77\n[lua]\nengine = "lua-in-js"\n'))
  const { stdout, exitCode } = await reload()
  expect(stdout.split('\n').toSorted()).toEqual([
    `${file}:2: sandbox.disk_mb needs a restart; the old one stays`,
    `${file}:4: lua.engine needs a restart; the old one stays`,
    'the config was read again',
  ])
  expect(exitCode).toBe(0)
})

test('sshawl reload exits with 0 and warns if a tools directory does not exist yet', async () => {
  await configure(configWith('first', '[tools]\ndirs = ["./later"]\n'))
  const { stdout, exitCode } = await reload()
  expect(stdout).toMatch(/later:1: the directory is not there yet; .*\nthe config was read again$/)
  expect(exitCode).toBe(0)
})

test('sshawl reload exits with 1 and prints each problem of the config in one line', async () => {
  await configure(configWith('first', '[limits]\nturn_s = 0\n').replace('http://', 'http://me:pw@'))
  const { stderr, stdout, exitCode } = await reload()
  expect(stdout).toBe('nothing was changed: the old config stays in force')
  expect(stderr.split('\n')).toEqual([
    expect.stringContaining(`sshawl: ${file}:2: limits.turn_s: `),
    `sshawl: ${file}:8: models.endpoint: an address must not hold a password; use api_key_env`,
  ])
  expect(exitCode).toBe(1)
  await configure(configWith('first', '[tools]\ndisabled = ["run_comand"]\n'))
  await hangUp(/:2: tools\.disabled: there is no tool called run_comand; did you mean run_command\?\n/)
})

test('concurrent reloads by command and by signal all succeed', async () => {
  await rm(file)
  expect(await hangUp(/cannot be read/)).toContain(`sshawl: ${file}: cannot be read`)
  await configure(configWith('first'))
  const [first, , second] = await Promise.all([reload(), hangUp(DONE), reload()])
  expect([first.exitCode, second.exitCode]).toEqual([0, 0])
})

test('sshawl reload exits with 1 if no server runs, and works after a killed server was restarted', async () => {
  const none = await execa(process.execPath, [...lateOptimizing, MAIN, 'reload', '--data', tools], {
    reject: false,
  })
  expect([none.stderr, none.exitCode]).toEqual([
    `sshawl: no sshawl serves from ${tools}; is it another --data?`,
    1,
  ])
  await stage.restart('SIGKILL')
  expect((await reload()).exitCode).toBe(0)
})
