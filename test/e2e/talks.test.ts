import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { says, startModelServer, status } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { createStageHere } from '../support/stage.ts'

const models = await forAllTests(startModelServer())
const model = (name: string) => `
[[models]]
name = "${name}"
backend = "openai-compatible"
model = "${name}"
endpoint = "${models.endpoint}/v1"
context_window = 16000
encoding = "r50k_base"
`
const config = `${model('qwen')}${model('qwen3.5')}
[limits]
talks_per_person = 2
rooms_per_person = 2
`
const stage = await forAllTests(createStageHere({ isShared: true, config }))
await stage.claim('rhea')

async function out(name: string, words: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as(name, words, input === undefined ? {} : { input })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

type Json = Readonly<Record<string, unknown>>
const json = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)

/** All that the model was sent last, as text. */
const sent = (): string => JSON.stringify(models.requests.at(-1)!.body.messages)

/** `ssh -t HOST WORDS`. */
async function openAt(name: string, ...words: readonly string[]) {
  const target = { user: name, port: stage.server.port, key: await stage.home.key(name), options: ['-tt'] }
  return openSsh(target, words)
}

test('talk prints the answer for a script, and the next call continues the talk', async () => {
  models.play(says('a blue whale'), says('about 25 metres'), says('{}'))
  expect(await out('ann', ['talk', '@qwen', 'the', 'largest', 'animal?'])).toBe('a blue whale\n')
  expect(await out('ann', ['talk', 'qwen'], 'and how long is it?\n')).toBe('about 25 metres\n')
  expect(sent()).toMatch(/largest animal\?.*a blue whale.*how long is it/s)
  const entries = json(await out('ann', ['talk', '--json', '@qwen', 'as', 'JSON']))
  expect(entries).toMatchObject([
    { kind: 'message', room: 'ann-qwen', text: '@qwen as JSON' },
    { kind: 'reply', author: 'qwen', text: '{}', outcome: 'done' },
  ])
  expect(models.requests).toHaveLength(3)
})

test('talk exits with 1 if its turn fails or there is no such model', async () => {
  models.play(status(400))
  expect(await stage.as('ann', ['talk', '@qwen', 'hello'])).toMatchObject({ exitCode: 1, stdout: '' })
  const none = await stage.as('ann', ['talk', '@qwne', 'hello'])
  expect(none).toMatchObject({ exitCode: 1 })
  expect(none.stderr).toContain('there is no model called @qwne; did you mean @qwen?')
})

test('a session in a talk needs no mention, and --new lets the model forget what was said', async () => {
  await using session = await openAt('bea', 'talk', '@qwen')
  await session.waitFor('@qwen (through openai-compatible) answers each line of bea here')
  models.play(says('I listen'))
  session.write('do you hear me\r')
  await session.waitFor('I listen')
  models.play(says('fresh again'))
  session.write('/talk --new @qwen\r')
  await session.waitFor('bea set checkpoint new')
  session.write('who am I\r')
  await session.waitFor('fresh again')
  expect(sent()).not.toContain('do you hear me')
  expect(await out('bea', ['talk'])).toBe('@qwen  bea-qwen\n')
})

test('/talk goes to the talk from another room and says the text there', async () => {
  await using session = await stage.open('cleo', '-tt')
  await session.waitFor('type to speak')
  models.play(says('good morning'))
  session.write('/talk @qwen hello there\r')
  await session.waitFor('good morning')
  const { length } = session.output()
  models.play(says('still here'))
  session.write('and now\r')
  await session.waitFor('still here', length)
  session.write('/join lobby\r')
  await session.waitFor('-- nobody else is here now', length)
  const listed = await out('cleo', ['rooms'])
  expect(listed.trim().split('\n').at(-1)).toMatch(
    /^cleo-qwen {2}[01] here {2}(\d+ new {2})?talk with @qwen$/,
  )
})

test('/msg to a model names /talk, and the line is not lost', async () => {
  await using session = await stage.open('dora', '-tt')
  await session.waitFor('type to speak')
  session.write('/msg qwen hello\r')
  await session.waitFor('qwen is a model, no person: /talk @qwen is your own room with it')
  await session.waitFor('your text is not lost')
  expect(await stage.as('dora', ['msg', 'qwen', 'hello'])).toMatchObject({
    exitCode: 1,
    stderr: 'qwen is a model, no person: talk @qwen is your own room with it\n',
  })
})

test('a talk is found by its model after a rename, and made anew after it was deleted', async () => {
  models.play(says('one'), says('two'), says('three'))
  await out('eve', ['create', 'eve-qwen'])
  await out('eve', ['talk', '@qwen', 'plankton'])
  expect(json(await out('eve', ['talk', '--json']))[0]).toMatchObject([
    { model: 'qwen', room: 'eve-qwen-2', paused: false },
  ])
  await out('eve', ['rename-room', 'eve-qwen-2', 'study'])
  await out('eve', ['talk', '@qwen', 'second'])
  expect(await out('eve', ['history', 'study'])).toMatch(/plankton[^]*one[^]*second[^]*two/)
  await out('eve', ['fork', 'study', 'study-2'])
  await out('eve', ['delete', 'study', 'study'])
  await out('eve', ['talk', '@qwen', 'third'])
  expect(sent()).not.toContain('plankton')
  expect(await out('eve', ['talk'])).toMatch(/^@qwen {2}eve-qwen-\d\n$/)
})

test('talks have a limit of their own and do not count as rooms', async () => {
  models.play(says('one'), says('two'))
  for (const name of ['fay-1', 'fay-2']) await out('fay', ['create', name])
  await out('fay', ['talk', '@qwen', 'hello'])
  await out('fay', ['talk', '@qwen3.5', 'hello'])
  expect(await out('fay', ['talk'])).toBe('@qwen  fay-qwen\n@qwen3.5  fay-qwen3-5\n')
  expect((await stage.as('fay', ['talk', '@guide', 'tools'])).stderr).toBe(
    'you have 2 talks already, which is the limit (talks_per_person)\n',
  )
  expect((await stage.as('fay', ['create', 'fay-3'])).stderr).toContain('rooms_per_person')
})

test('a talk is private, also for admins, and a guest in it is not answered without a mention', async () => {
  models.play(says('hello'))
  await out('gus', ['talk', '@qwen', 'hi'])
  expect((await stage.as('rhea', ['history', 'gus-qwen'])).stderr).toContain('there is no room called')
  await out('hal', ['whoami'])
  await out('gus', ['invite', 'gus-qwen', 'hal'])
  await using hal = await stage.open('hal', '-tt')
  await hal.waitFor('type to speak')
  hal.write('/join gus-qwen\r')
  await hal.waitFor('@qwen (through openai-compatible) answers each line of gus here')
  const asked = models.requests.length
  hal.write('what do you do\r')
  await expect.poll(() => out('gus', ['history', 'gus-qwen'])).toContain('hal: what do you do')
  models.play(says('I talk with gus'))
  hal.write('@qwen really?\r')
  await hal.waitFor('I talk with gus')
  expect(models.requests).toHaveLength(asked + 1)
})
