import { encodeTime } from 'ulid'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { createHttpCaller, withBearer } from '../support/http-caller.ts'
import { openAgent } from '../support/mcp/agent.ts'
import { hang, says, startModelServer, status } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { createStageHere } from '../support/stage.ts'
import { askStored, onPostgres } from '../support/stored.ts'

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
const stage = await forAllTests(createStageHere({ isShared: true, http: true, config }))
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

test('the command talk prints the answer in a script, and the next call continues the talk', async () => {
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

test('the command talk exits with 1 if its turn fails or the model does not exist', async () => {
  models.play(status(400))
  expect(await stage.as('ann', ['talk', '@qwen', 'hello'])).toMatchObject({ exitCode: 1, stdout: '' })
  const none = await stage.as('ann', ['talk', '@qwne', 'hello'])
  expect(none).toMatchObject({ exitCode: 1 })
  expect(none.stderr).toContain('there is no model called @qwne; did you mean @qwen?')
})

test('a session in a talk needs no mention, and --new hides the earlier lines from the model', async () => {
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

test('/msg to a model suggests /talk and does not lose the text', async () => {
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

test('/talk finds a renamed private room by its model, and makes a new one if it was deleted', async () => {
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

test('talks have their own limit and do not count toward the limit of rooms', async () => {
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

test('the model of an archived talk answers no line, not even a waiting one, until reopened', async () => {
  await using ivy = await openAt('ivy', 'talk', '@qwen')
  await ivy.waitFor('answers each line of ivy here')
  const asked = models.requests.length
  models.play(hang())
  ivy.write('first\r')
  await models.arrived(asked + 1)
  ivy.write('second\r')
  await expect.poll(() => out('ivy', ['history', 'ivy-qwen'])).toContain('ivy: second')
  await out('ivy', ['archive', 'ivy-qwen', 'on'])
  await ivy.waitFor('@qwen was not asked: ivy-qwen is archived')
  expect(await out('ivy', ['talk'])).toBe('@qwen  ivy-qwen  archived\n')
  ivy.write('third\r')
  await ivy.waitFor('your text is not lost')
  expect(await stage.as('ivy', ['talk', '@qwen', 'fourth'])).toMatchObject({ exitCode: 1, stdout: '' })
  await out('ivy', ['archive', 'ivy-qwen', 'off'])
  expect(await out('ivy', ['talk'])).toBe('@qwen  ivy-qwen\n')
  models.play(says('back again'))
  expect(await out('ivy', ['talk', '@qwen', 'fifth'])).toBe('back again\n')
  expect(await out('ivy', ['history', 'ivy-qwen'])).not.toMatch(/third|fourth/)
  expect(models.requests).toHaveLength(asked + 2)
})

test('the owner of a talk sets /keep, which removes old lines from talk and prompts', async () => {
  models.play(says('noted'), says('two of them'), says('which one'))
  await out('jan', ['talk', '@qwen', 'new quince'])
  const at = Date.now() - 100 * 86_400_000
  await askStored(
    stage.server.dataDir,
    `INSERT INTO entries (id, room, at, kind, author, text, data${onPostgres ? ', not_run, words' : ''})
     VALUES ('${encodeTime(at, 10)}${'0'.repeat(16)}', 'jan-qwen', ${at}, 'message', 'jan', 'old quince',
       '{}'${onPostgres ? ", 0, ''" : ''})`,
  )
  await out('jan', ['talk', '@qwen', 'how many?'])
  expect(sent()).toContain('old quince')
  expect(await stage.as('mo', ['keep', 'jan-qwen', '90d'])).toMatchObject({ exitCode: 1 })
  expect((await stage.as('jan', ['keep', 'jan-qwen', '90d'])).stderr).toMatch(
    /^this removes 1 line of jan-qwen, for good/,
  )
  await out('jan', ['keep', 'jan-qwen', '90d', '--yes'])
  await expect.poll(() => out('jan', ['history', 'jan-qwen'])).not.toContain('old quince')
  await out('jan', ['talk', '@qwen', 'the quince?'])
  expect(sent()).toMatch(/new quince.*noted.*the quince\?/s)
  expect(sent()).not.toContain('old quince')
})

test("/purge removes a person's lines in a talk, and the talk continues without them", async () => {
  models.play(says('a fine fruit'), says('what for'))
  await out('kay', ['talk', '@qwen', 'my secret pear'])
  expect(await out('rhea', ['purge', 'kay', '--yes'])).toMatch(/^removed 1 line of kay in 1 room\n/)
  const history = await out('kay', ['history', 'kay-qwen'])
  expect(history).toContain('a fine fruit')
  expect(history).not.toContain('pear')
  expect(await out('kay', ['turn', 'kay-qwen', 'last', 'full'])).not.toContain('pear')
  expect(await out('kay', ['talk', '@qwen', 'well?'])).toBe('what for\n')
  expect(sent()).not.toContain('pear')
  expect(await out('kay', ['talk'])).toBe('@qwen  kay-qwen\n')
})

test('a talk answers a line of a pipe, an agent or a POST only if the line mentions the model', async () => {
  models.play(says('hello'), says('to the pipe'), says('to the terminal'))
  await out('lou', ['talk', '@qwen', 'hi'])
  const asked = models.requests.length
  const said = (text: string) => expect.poll(() => out('lou', ['history', 'lou-qwen'])).toContain(text)

  await using pipe = await stage.open('lou', '-T')
  pipe.write('/talk @qwen\n')
  await pipe.waitFor('lines from a pipe need the mention: @qwen …')
  pipe.write('through a pipe\n')
  await said('lou: through a pipe')
  await using agent = await openAgent(stage, 'lou')
  expect(await agent.call('say', { room: 'lou-qwen', text: 'by an agent' })).toMatchObject({ isError: false })
  const caller = createHttpCaller(() => stage)
  const headers = withBearer(await caller.token('lou'), { 'content-type': 'text/plain' })
  const url = `${caller.base()}/rooms/lou-qwen/messages`
  expect(await fetch(url, { method: 'POST', headers, body: 'by POST' })).toMatchObject({ status: 200 })
  await out('lou', ['say', 'lou-qwen'], 'through standard input')
  const lines = json(await out('lou', ['history', 'lou-qwen', '--json'])).slice(-4)
  expect(lines).toMatchObject(
    ['through a pipe', 'by an agent', 'by POST', 'through standard input'].map((text) => ({
      ...{ kind: 'message', by_program: true, text },
    })),
  )
  pipe.write('@qwen and now?\n')
  await pipe.waitFor('to the pipe')
  expect(models.requests).toHaveLength(asked + 1)

  await using terminal = await openAt('lou', 'talk', '@qwen')
  await terminal.waitFor('answers each line of lou here')
  terminal.write('typed\r')
  await terminal.waitFor('to the terminal')
  expect(models.requests).toHaveLength(asked + 2)
})
