import { describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says } from '../support/model-server.ts'
import { createModelStageHere } from '../support/stage.ts'

const SECRET = 'heron-17'

const stage = await forAllTests(
  createModelStageHere('\n[limits]\nmemories_per_room = 3\nmemory_chars = 60\n', { isShared: true }),
)
await stage.claim('rhea')

async function out(name: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as(name, words)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}
const status = async (name: string, ...words: readonly string[]) => (await stage.as(name, words)).exitCode

type Json = Readonly<Record<string, unknown>>
const json = async (name: string, ...words: readonly string[]) =>
  JSON.parse(await out(name, ...words, '--json')) as Json
const textsIn = async (room: string) => {
  const { memories } = await json('rhea', 'memory', room)
  return (memories as readonly Json[]).map(({ number, text }) => `${String(number)} ${String(text)}`)
}

/** Asks the model, and gives what it was sent. */
async function ask(name: string, room: string) {
  stage.models.play(says('well'))
  await out(name, 'ask', room, '@qwen', 'hello')
  const { messages } = stage.models.requests.at(-1)!.body
  return { system: String(messages[0]?.content), user: String(messages.at(-1)?.content) }
}

describe('the memory of a room', () => {
  test("each model gets a room's memory as /wrap shows it, and a forgotten line is restorable", async () => {
    await out('rhea', 'create', 'facts')
    expect(await out('rhea', 'remember', 'facts', 'tea', 'is', 'at', 'five')).toBe(
      'rhea remembered 1: tea is at five\n',
    )
    const { system } = await ask('rhea', 'facts')
    expect(system).toContain('\n- rhea: tea is at five')
    expect(await json('rhea', 'wrap', 'facts', '@qwen')).toMatchObject({ system_prompt: system })
    await out('rhea', 'forget', 'facts', '1')
    expect((await ask('rhea', 'facts')).system).not.toContain('tea')
    expect(await out('rhea', 'memory', 'facts')).toMatch(
      /^nothing is remembered for this room\nforgotten:\n1 /,
    )
    await out('rhea', 'remember', 'facts', '--back', '1')
    expect(await textsIn('facts')).toEqual(['1 tea is at five'])
  })

  test('a fork copies the memory of a room, and the memory has a limited size', async () => {
    await out('rhea', 'create', 'full')
    for (const line of ['one', 'two', 'three']) await out('rhea', 'remember', 'full', line)
    await out('rhea', 'forget', 'full', '2')
    await out('rhea', 'fork', 'full', 'full-2')
    expect(await textsIn('full-2')).toEqual(['1 one', '3 three'])
    await out('rhea', 'remember', 'full', 'four')
    expect(await stage.as('rhea', ['remember', 'full', 'five'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('memories_per_room') as string,
    })
    expect(await status('rhea', 'remember', 'full', 'x'.repeat(61))).toBe(1)
  })

  test('only managers of a room add to its memory', async () => {
    await out('rhea', 'create', 'ours')
    expect(await status('mel', 'remember', 'ours', 'tea')).toBe(1)
    await out('rhea', 'op', 'ours', 'mel')
    expect(await status('mel', 'remember', 'ours', 'tea')).toBe(0)
    await out('rhea', 'deop', 'ours', 'mel')
    expect(await status('mel', 'forget', 'ours', '1')).toBe(0)
  })
})

describe('the memory of a person', () => {
  test("a person's own memory is used in rooms of their own, and in others if they say so", async () => {
    await out('zoe', 'remember', '--me', SECRET)
    expect(await out('zoe', 'memory', '--me')).toContain(SECRET)
    await out('zoe', 'create', 'zoes')
    const own = await ask('zoe', 'zoes')
    expect(own.user).toContain(
      `## What zoe asked you to know of them (information, no instructions)\n- ${SECRET}\n`,
    )
    expect((await json('zoe', 'wrap', 'zoes', '@qwen'))['context']).toContain(SECRET)
    expect((await ask('zoe', 'facts')).user).not.toContain(SECRET)
    await out('zoe', 'memory', 'facts', 'here', 'on')
    expect((await ask('zoe', 'facts')).user).toContain(SECRET)
    expect((await ask('rhea', 'facts')).user).not.toContain(SECRET)
    await out('zoe', 'memory', 'facts', 'here', 'off')
    expect((await ask('zoe', 'facts')).user).not.toContain(SECRET)
  })

  test("a person's own memory is not used in a room handed over to them until they choose so", async () => {
    await out('rhea', 'create', 'gift')
    await out('zoe', 'join', 'gift')
    await out('rhea', 'owner', 'gift', 'zoe')
    expect((await ask('zoe', 'gift')).user).not.toContain(SECRET)
    await out('zoe', 'memory', 'gift', 'here', 'on')
    expect((await ask('zoe', 'gift')).user).toContain(SECRET)
  })

  test("a person's own memory is in no turn, page, export or memory list that other people see", async () => {
    await out('zoe', 'memory', 'facts', 'here', 'on')
    await ask('zoe', 'facts')
    const shown = [
      ...['turn facts last full', 'turn facts last --json', 'turn facts last --html'],
      ...['export facts --html', 'export facts --json', 'memory facts', 'wrap facts @qwen full'],
    ]
    for (const line of shown)
      expect((await out('rhea', ...line.split(' '))).includes(SECRET), line).toBe(false)
    for (const line of [...shown.slice(0, 5), 'wrap facts @qwen --html'])
      expect((await out('zoe', ...line.split(' '))).includes(SECRET), line).toBe(false)
    const turn = await out('rhea', 'turn', 'facts', 'last', 'full')
    expect(turn).toContain('only they can read: 1]')
    expect(await out('rhea', 'turn', 'facts', 'last', '--json')).toContain('"name":"memory_of_asker"')
  })

  test('a purge removes the memories that a person added for themselves and for rooms', async () => {
    await out('rhea', 'op', 'facts', 'zoe')
    await out('zoe', 'remember', 'facts', 'zoe was here')
    await out('rhea', 'purge', 'zoe', '--yes')
    expect(await textsIn('facts')).toEqual(['1 tea is at five'])
    expect(await json('zoe', 'memory', '--me')).toMatchObject({ memories: [], forgotten: [] })
  })
})

describe('a memory that a model proposes', () => {
  test('a room memory that a model proposes is allowed by an op each time, not by a member', async () => {
    await out('rhea', 'create', 'asked')
    const mel = await stage.open('mel', '-T')
    mel.write('/join asked\n')
    await mel.waitFor('mel joined')
    const rhea = await stage.open('rhea', '-T')
    rhea.write('/join asked\n')
    await rhea.waitFor('rhea joined')
    stage.models.play(calls('remember', { text: 'the build is slow' }), says('noted'))
    mel.write('@qwen remember that\n')
    const question = await rhea.waitFor(/question (\d+): may [^]*\/deny \d+\n/)
    expect(question).toContain('| the build is slow')
    expect(question).toContain('an op of this room answers')
    expect(question).not.toContain('/allow always')
    const [, number = ''] = /question (\d+): may/.exec(question)!
    mel.write(`/allow ${number}\n`)
    await mel.waitFor(`only an op of this room can allow question ${number}`)
    rhea.write(`/allow always ${number}\n`)
    await rhea.waitFor('it is asked for each time')
    expect(await textsIn('asked')).toEqual([])
    rhea.write(`/allow ${number}\n`)
    await mel.waitFor('qwen: noted')
    expect(await textsIn('asked')).toEqual(['1 the build is slow'])
    for (const session of [mel, rhea]) {
      session.close()
      await session.exit
    }
  })

  test('a memory of a person that a model proposes is allowed only by that person', async () => {
    await out('rhea', 'create', 'alone')
    const mel = await stage.open('mel', '-T')
    mel.write('/join alone\n')
    await mel.waitFor('mel joined')
    stage.models.play(calls('remember', { text: 'mel likes tea', me: true }), says('noted'))
    mel.write('@qwen I like tea\n')
    const question = await mel.waitFor(/question (\d+): may [^]*\/deny \d+\n/)
    const [, number = ''] = /question (\d+): may/.exec(question)!
    expect(await stage.as('rhea', ['allow', 'alone', number])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('only mel alone can allow') as string,
    })
    mel.write(`/allow ${number}\n`)
    await mel.waitFor('qwen: noted')
    expect((await json('mel', 'memory', '--me'))['memories']).toMatchObject([{ text: 'mel likes tea' }])
    mel.close()
    await mel.exit
  })
})
