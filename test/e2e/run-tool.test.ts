import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { temporaryDir } from '../support/storage.ts'
import { calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import { startServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'

/** The directory that the room `dev` has. */
const mapped = (await forAllTests(temporaryDir())).path
const stage = await forAllTests(
  createModelStageHere(
    `context_window = 64000\n[sandbox]\nworkspaces = { dev = "${mapped}" }\n[limits]\nrate_burst = 1000\n`,
    { isShared: true },
  ),
)
await stage.claim('rhea')

const run = (who: string, ...words: string[]) => stage.as(who, ['run', ...words])
const last = async (count: number) =>
  (await stage.as('rhea', ['history', 'lobby', '-n', String(count), '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test("/run prints only the tool's result, but logs both the call and the result", async () => {
  expect(await run('alice', 'lobby', 'calculator', '{"expression": "6 * 7"}')).toEqual({
    stdout: '42\n',
    stderr: '',
    exitCode: 0,
  })
  const [call, result] = await last(2)
  expect(call).toMatchObject({
    kind: 'tool_call',
    author: 'alice',
    requester: 'alice',
    name: 'calculator',
    tool: 'calculator',
    arguments: { expression: '6 * 7' },
  })
  expect(result).toMatchObject({ kind: 'tool_result', author: 'alice', isError: false, text: '42' })
  expect(result!['call']).toBe(call!['call'])
  expect(call).not.toHaveProperty('turn')
})

test('/run --json prints the result entry', async () => {
  const { stdout, exitCode } = await run('alice', '--json', 'lobby', 'calculator', '{"expression":"1+1"}')
  expect({ ...(JSON.parse(stdout) as object), exitCode }).toMatchObject({
    kind: 'tool_result',
    text: '2',
    exitCode: 0,
  })
  const failed = await run('alice', 'lobby', 'calculator', '--json', '{"expression":"1/0"}')
  expect(failed.exitCode).toBe(1)
  expect(JSON.parse(failed.stdout)).toMatchObject({ isError: true })
})

test.each([
  ['calculator {"expression":"1/0"}', 1, /^ERROR: .*zero/i],
  ['calculator {"expression":', 1, /^calculator takes JSON, such as run calculator \{"expression": "…"\}/],
  ['calculator', 1, /^ERROR: calculator: expression is required/],
  ['edit_file notes.txt', 1, /^edit_file takes JSON, such as run edit_file \{"file_path": "…", /],
  ['--verbose calculator', 2, /unknown flag --verbose/],
])('/run %s fails with a specific error', async (words, exitCode, stderr) => {
  const result = await run('alice', 'lobby', ...words.split(' ').filter(Boolean))
  expect(result).toMatchObject({ exitCode, stdout: '' })
  expect(result.stderr).toMatch(stderr)
})

test('/run answers a hidden tool like an unknown one', async () => {
  await stage.as('rhea', ['tools', 'lobby', 'calculator'])
  const hidden = await run('alice', 'lobby', 'Grep', '{}')
  const never = await run('alice', 'lobby', 'Nope', '{}')
  await stage.as('rhea', ['tools', 'lobby', 'on'])
  expect(hidden.stderr).toMatch(/no tool Grep; tools lists those of this room\n$/)
  expect(never.stderr).toBe(hidden.stderr.replace('Grep', 'Nope'))
})

const command = '{"command":"echo ran"}'

test.skipIf(lacks('bwrap'))(
  '/run from a script needs --allow by an op for a tool that executes commands',
  async () => {
    const denied = await run('rhea', 'lobby', 'run_command', command)
    expect(denied).toEqual({
      stdout: '',
      stderr: "ERROR: Permission denied: run 'echo ran'? (a script must name it: --allow run_command)\n",
      exitCode: 1,
    })
    expect(await run('rhea', '--allow', 'run_command', 'lobby', 'run_command', command)).toEqual({
      stdout: 'ran\n',
      stderr: '',
      exitCode: 0,
    })
    expect((await last(3)).map(({ kind, verdict }) => verdict ?? kind)).toEqual([
      'once',
      'tool_call',
      'tool_result',
    ])
    expect(await run('rhea', '--allow', 'write_file', 'lobby', 'run_command', command)).toEqual(denied)
  },
)

test.each([
  ['alice', 'run_command', /^only the owner of lobby, an op or an admin can allow tools from a script/],
  ['rhea', 'rm_command', /^there is no tool called rm_command in lobby; see tools/],
])('/run is rejected at once if %s passes --allow %s', async (who, tool, stderr) => {
  const result = await run(who, '--allow', tool, 'lobby', 'run_command', command)
  expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(stderr) as string })
})

test.skipIf(lacks('bwrap'))('/ask --allow allows the named tools in the turn that it starts', async () => {
  stage.models.play(calls('run_command', { command: 'echo ran' }), says('fine'))
  const asked = await stage.as('rhea', [
    'ask',
    '--allow',
    'run_command',
    '--allow',
    'write_file',
    'lobby',
    '@qwen',
    'go',
  ])
  expect(asked).toMatchObject({ exitCode: 0, stdout: 'fine\n', stderr: '' })
  expect(stage.models.requests.at(-1)!.body.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: 'ran\n',
  })
  stage.models.play(calls('run_command', { command: 'echo ran' }), says('well'))
  const denied = await stage.as('rhea', ['ask', 'lobby', '@qwen', 'go'])
  expect(denied).toMatchObject({
    exitCode: 0,
    stdout: 'well\n',
    stderr: 'denied: a script must name it: --allow run_command (run_command for rhea)\n',
  })
  expect(stage.models.requests.at(-1)!.body.messages.at(-1)).toMatchObject({
    content: "ERROR: Permission denied: run 'echo ran'? (a script must name it: --allow run_command)",
  })
})

test.skipIf(lacks('bwrap'))(
  'a person can /run a tool in a session, answer its question and read the result',
  async () => {
    await using alice = await stage.open('alice', '-T')
    await alice.waitFor('alice joined')
    const from = alice.output().length
    alice.write('/run calculator {"expression":"6*7"}\n')
    await alice.waitFor('calculator: 42 (', from)
    alice.write('/run run_command {"command":"echo one; echo two"}\n')
    await alice.waitFor(/may alice use run_command \(execute\)\?\n {2}\| echo one; echo two\n/, from)
    alice.write('/allow\n')
    await alice.waitFor('\none\ntwo\n', from)
    alice.write('/run --allow run_command run_command {}\n')
    await alice.waitFor('! --allow is for scripts', from)
    alice.write('/run calc\n')
    await alice.waitFor('! no tool calc; did you mean calculator?', from)
  },
)

test.skipIf(lacks('bwrap'))('a running tool is stopped by /stop and by /quit of its requester', async () => {
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor('bob joined')
  await using alice = await stage.open('alice', '-T')
  await bob.waitFor('alice joined')
  for (const [end, why] of [
    ['/stop', 'alice stopped it'],
    ['/quit', 'alice left'],
  ]) {
    const from = bob.output().length
    alice.write('/run run_command {"command":"sleep 50"}\n')
    await bob.waitFor(/may alice use/, from)
    alice.write('/allow\n')
    await bob.waitFor('-- alice: allowed once', from)
    alice.write(`${end}\n`)
    await bob.waitFor(`run_command: ERROR: run_command: stopped before it was done: ${why}`, from)
  }
})

const as = (name: string, ...words: string[]) => stage.as(name, words)
const files = (room: string) => join(stage.server.dataDir, 'rooms', room, 'files')
/** What the model was last told by a tool. */
const told = (): string => String(stage.models.requests.at(-1)!.body.messages.at(-1)!.content)
const pageOf = (content: string): string => content.slice(0, content.lastIndexOf('\n'))

const lines = Array.from({ length: 700 }, (_, line) => `needle ${line} 😀 and some more words`)
const whole = lines.map((text, index) => `log.txt:${index + 1}:${text}`).join('\n')

test('a long tool result reaches the model in pages that join to the whole result', async () => {
  await stage.goOnWith(startServer)
  await mkdir(files('lobby'), { recursive: true })
  await writeFile(join(files('lobby'), 'log.txt'), lines.join('\r\n'))
  stage.models.play(calls('grep', { pattern: 'needle' }), says('read'))
  expect((await as('rhea', 'ask', 'lobby', '@qwen', 'search')).exitCode).toBe(0)
  const count = Number(/\[page 1 of (\d+) of fd:1, which grep gave, /.exec(told())![1])
  const pages = [pageOf(told())]
  for (let page = 2; page <= count; page++) {
    stage.models.play(calls('read_fd', { fd: 'fd:1', page }), says('on'))
    await as('rhea', 'ask', 'lobby', '@qwen', 'go on')
    pages.push(pageOf(told()))
  }
  expect(count).toBeGreaterThan(2)
  expect(pages.join('')).toBe(whole)
})

test('a stored tool result survives a restart, and its fd number is not reused', async () => {
  await stage.restart('SIGKILL')
  const { stdout } = await as('rhea', 'run', 'lobby', 'read_fd', '{"fd":"fd:1","page":2}')
  expect(whole).toContain(pageOf(stdout.trimEnd()))
  const again = await as('rhea', 'run', 'lobby', 'grep', '{"pattern":"needle"}')
  expect(again.stdout).toMatch(/\[page 1 of \d+ of fd:2, which grep gave, /)
})

test('a stored tool result cannot be read from another room', async () => {
  await as('rhea', 'create', 'den', '--private')
  for (const fd of ['fd:1', 'lobby/fd:1', '../lobby/fd:1']) {
    const { exitCode, stderr } = await as('rhea', 'run', 'den', 'read_fd', JSON.stringify({ fd }))
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/ERROR: read_fd: (there is no fd:1 in this room|fd: write it as)/)
  }
  stage.models.play(calls('read_fd', { fd: 'fd:1' }), says('well'))
  await as('rhea', 'ask', 'den', '@qwen', 'read')
  expect(told()).toMatch(/^ERROR: read_fd: there is no fd:1 in this room/)
})

test('fd_to_file saves a whole result to a file, but needs a permission', async () => {
  const save = JSON.stringify({ fd: 'fd:1', file_path: 'found/all.txt' })
  const refused = await as('alice', 'run', 'lobby', 'fd_to_file', save)
  expect(refused.stderr).toContain("ERROR: Permission denied: write fd:1 to 'found/all.txt'?")
  const done = await as('rhea', 'run', '--allow', 'fd_to_file', 'lobby', 'fd_to_file', save)
  expect(done).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Made found/all.txt') as string,
  })
  expect(await readFile(join(files('lobby'), 'found', 'all.txt'), 'utf8')).toBe(whole)
})

test('glob and grep find nothing outside of the workspace', async () => {
  await writeFile(join(stage.dir, 'secret.txt'), 'needle of the server')
  await symlink(stage.dir, join(files('lobby'), 'out'))
  const attempts = [
    ['glob', { pattern: '**/secret.txt' }],
    ['glob', { pattern: '{..,a}/{..,a}/**' }],
    ['glob', { pattern: '*', path: 'out' }],
    ['grep', { pattern: 'needle of', path: 'out/secret.txt' }],
    ['grep', { pattern: 'needle of' }],
  ] as const
  for (const [tool, args] of attempts) {
    const { stdout, stderr } = await as('rhea', 'run', 'lobby', tool, JSON.stringify(args))
    expect(stdout + stderr).not.toMatch(/secret\.txt\b(?!')|of the server/)
  }
})

test('a room mapped to a directory can be created by admins only, and its tools see that directory', async () => {
  await writeFile(join(mapped, 'plan.txt'), 'the plan')
  expect(await as('mallory', 'create', 'dev')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the name dev is taken; choose another') as string,
  })
  expect((await as('mallory', 'fork', 'lobby', 'dev')).exitCode).toBe(1)
  expect((await as('rhea', 'create', 'dev')).exitCode).toBe(0)
  expect((await as('rhea', 'run', 'dev', 'read_file', '{"file_path":"plan.txt"}')).stdout).toBe('the plan\n')
  expect((await as('rhea', 'run', 'dev', 'glob', '{"pattern":"*"}')).stdout).toBe('plan.txt\n')
  expect((await as('rhea', 'run', 'lobby', 'glob', '{"pattern":"plan.txt"}')).stdout).toBe('No files.\n')
})

test('/todo shows the to-do list that a model stored with TodoWrite', async () => {
  expect((await as('alice', 'todo', 'lobby')).stdout).toBe('The todo list is empty.\n')
  const todos = [
    { content: 'look around', status: 'completed' },
    { content: 'dig', status: 'in_progress' },
  ]
  stage.models.play(calls('TodoWrite', { todos }), says('noted'))
  await as('rhea', 'ask', 'lobby', '@qwen', 'plan')
  expect((await as('alice', 'todo', 'lobby')).stdout).toBe('[x] look around\n[~] dig\n')
  expect(JSON.parse((await as('alice', 'todo', 'lobby', '--json')).stdout)).toEqual({
    room: 'lobby',
    todo: todos,
  })
})
