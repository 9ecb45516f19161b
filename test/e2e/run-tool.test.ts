import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere(
    `
[limits]
rate_burst = 1000
`,
    { isShared: true },
  )
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

const run = (who: string, ...words: string[]) => stage.as(who, ['run', ...words])
const last = async (count: number) =>
  (await stage.as('rhea', ['history', 'lobby', '-n', String(count), '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a script that runs a tool', () => {
  test('gets the content alone on standard output, and the log has call and result', async () => {
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

  test.each([
    ['calculator', '2 + 2', '4\n', { expression: '2 + 2' }],
    ['find_tools', 'the calculator', expect.stringMatching(/^calculator /m), { query: 'the calculator' }],
  ])('gives %s its one required argument as text', async (tool, typed, stdout, args) => {
    expect(await run('alice', 'lobby', tool, typed)).toMatchObject({ stdout, exitCode: 0 })
    expect((await last(2))[0]).toMatchObject({ name: tool, arguments: args })
  })

  test('gets the entry with --json, before the text that takes the rest of the line', async () => {
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
    ['calculator {"expression":', 1, /^ERROR: calculator: the arguments are not valid JSON/],
    ['calculator [1]', 1, /^ERROR: calculator: the arguments must be a JSON object, got an array/],
    ['calculator', 1, /^ERROR: calculator: expression is required/],
    ['constructor {}', 1, /no tool constructor; /],
    ['calculator --verbose', 1, /^ERROR: .*verbose/],
    ['edit_file notes.txt', 1, /^edit_file takes JSON: run edit_file \{file_path: string, /],
    ['--verbose calculator', 2, /unknown flag --verbose/],
    ['', 2, /TOOL is missing/],
  ])('is told what is wrong with "%s"', async (words, exitCode, stderr) => {
    const result = await run('alice', 'lobby', ...words.split(' ').filter(Boolean))
    expect(result).toMatchObject({ exitCode, stdout: '' })
    expect(result.stderr).toMatch(stderr)
  })

  test('gets for a hidden tool what it gets for one that never was', async () => {
    await stage.as('rhea', ['tools', 'lobby', 'calculator'])
    const hidden = await run('alice', 'lobby', 'Grep', '{}')
    const never = await run('alice', 'lobby', 'Nope', '{}')
    await stage.as('rhea', ['tools', 'lobby', 'on'])
    expect(hidden.stderr).toMatch(/no tool Grep; tools lists those of this room\n$/)
    expect(never.stderr).toBe(hidden.stderr.replace('Grep', 'Nope'))
  })

  test('learns nothing of a private room', async () => {
    await stage.as('rhea', ['create', 'den', '--private'])
    const refused = await run('alice', 'den', 'calculator', '{"expression":"1"}')
    const never = await run('alice', 'nowhere', 'calculator', '{"expression":"1"}')
    expect(refused).toEqual({ ...never, stderr: never.stderr.replace('nowhere', 'den') })
    for (const verb of ['allow', 'deny', 'perms'])
      expect((await stage.as('alice', [verb, 'den'])).stderr).toBe(refused.stderr)
  })
})

describe('a script whose tool needs a permission', () => {
  const command = '{"command":"echo ran"}'

  test.skipIf(lacks('bwrap'))('is refused unless an op names the tool', async () => {
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
  })

  test.each([
    ['alice', 'run_command', /^only the owner of lobby, an op or an admin can allow tools from a script/],
    ['rhea', 'rm_command', /^there is no tool called rm_command in lobby; see tools/],
  ])('is refused at once when %s allows %s', async (who, tool, stderr) => {
    const result = await run(who, '--allow', tool, 'lobby', 'run_command', command)
    expect(result).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(stderr) as string })
  })

  test.skipIf(lacks('bwrap'))('names them for the turn that it starts, too', async () => {
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
})

describe('a person in a session', () => {
  test.skipIf(lacks('bwrap'))(
    'runs a tool, is asked where a model would be, and reads the whole result',
    async () => {
      await using alice = await stage.open('alice', '-T')
      await alice.waitFor('alice joined')
      const from = alice.output().length
      alice.write('/run calculator {"expression":"6*7"}\n')
      await alice.waitFor(/\n42\n/, from)
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

  test.skipIf(lacks('bwrap'))('stops it, or takes it along when they leave', async () => {
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
})
