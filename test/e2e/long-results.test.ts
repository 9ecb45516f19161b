import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, says } from '../support/model-server.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
let mapped: string

beforeAll(async () => {
  mapped = await mkdtemp(join(tmpdir(), 'sshawl-mapped-'))
  stage = await createModelStageHere(
    `
context_window = 64000

[sandbox]
workspaces = { dev = "${mapped}" }
`,
    { isShared: true },
  )
  await stage.claim('rhea')
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await rm(mapped, { recursive: true })
})

const as = (name: string, ...words: string[]) => stage.as(name, words)
const files = (room: string) => join(stage.server.dataDir, 'rooms', room, 'files')
/** What the model was last told by a tool. */
const told = (): string => String(stage.models.requests.at(-1)!.body.messages.at(-1)!.content)
const pageOf = (content: string): string => content.slice(0, content.lastIndexOf('\n'))

const lines = Array.from({ length: 700 }, (_, line) => `needle ${line} 😀 and some more words`)
const whole = lines.map((text, index) => `log.txt:${index + 1}:${text}`).join('\n')

describe('a long result', () => {
  test('reaches the model page by page, and the pages joined are what the tool gave', async () => {
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

  test('is there after a restart, and its number is not given again', async () => {
    await stage.restart('SIGKILL')
    const { stdout } = await as('rhea', 'run', 'lobby', 'read_fd', '{"fd":"fd:1","page":2}')
    expect(whole).toContain(pageOf(stdout.trimEnd()))
    const again = await as('rhea', 'run', 'lobby', 'grep', '{"pattern":"needle"}')
    expect(again.stdout).toMatch(/\[page 1 of \d+ of fd:2, which grep gave, /)
  })

  test('of another room is not there, for a model and for a person', async () => {
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

  test('is saved to a file, whole, only with the word of somebody who may', async () => {
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

  test('tells a model without read_fd to ask for less', async () => {
    await as('rhea', 'tools', 'lobby', 'grep')
    stage.models.play(calls('grep', { pattern: 'needle' }), says('hm'))
    await as('rhea', 'ask', 'lobby', '@qwen', 'search')
    expect(told()).toMatch(
      /the rest is read with read_fd, which is not among these tools: ask for less instead\]$/,
    )
    await as('rhea', 'tools', 'lobby', 'on')
  })
})

describe('the tools glob and grep', () => {
  test('find nothing outside the workspace, whatever they are told', async () => {
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
})

describe('a room that is mapped to a directory', () => {
  test('can be made by admins only, and its tools see that directory', async () => {
    await writeFile(join(mapped, 'plan.txt'), 'the plan')
    expect(await as('mallory', 'create', 'dev')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the name dev is taken; choose another') as string,
    })
    expect((await as('mallory', 'fork', 'lobby', 'dev')).exitCode).toBe(1)
    expect((await as('rhea', 'create', 'dev')).exitCode).toBe(0)
    expect((await as('rhea', 'run', 'dev', 'read_file', '{"file_path":"plan.txt"}')).stdout).toBe(
      'the plan\n',
    )
    expect((await as('rhea', 'run', 'dev', 'glob', '{"pattern":"*"}')).stdout).toBe('plan.txt\n')
    expect((await as('rhea', 'run', 'lobby', 'glob', '{"pattern":"plan.txt"}')).stdout).toBe('No files.\n')
  })
})

describe('/todo', () => {
  test('shows what a model wrote down, under either name of the tool', async () => {
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

  test('makes nothing of a key that holds no list', async () => {
    await as(
      'rhea',
      'kv',
      'lobby',
      'todo',
      '[{"content":"a\\u001b[2Jb","status":"pending"},{"content":5},null]',
    )
    expect((await as('alice', 'todo', 'lobby')).stdout).toBe('[ ] ab\n')
    await as('rhea', 'kv', 'lobby', 'todo', '{"not":"a list"}')
    expect((await as('alice', 'todo', 'lobby')).stdout).toBe('The todo list is empty.\n')
  })
})
