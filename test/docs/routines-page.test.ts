import { afterAll, expect, test } from 'vitest'
import { calls, says } from '../support/model-server.ts'
import { startServerHere } from '../support/server-here.ts'
import type { SshSession } from '../support/ssh.ts'
import { createModelStageHere } from '../support/stage.ts'
import { readPage } from './run-page.ts'

const page = await readPage('docs/routines.md')
/** The line to type of each recipe. */
const recipes = new Map(
  [...page.matchAll(/^### (.*)\n\n {4}(\/.*)$/gm)].map(([, title = '', line = '']) => [title, line]),
)

const DAY_MS = 86_400_000
const alarms: { readonly at: number; readonly run: () => void }[] = []
// A Wednesday.
let time = Date.UTC(2027, 0, 6, 12)
const clock = {
  now: () => time,
  monotonic: () => performance.now(),
  later(ms: number, run: () => void) {
    alarms.push({ at: time + ms, run })
    setTimeout(run, ms).unref()
  },
}

/** Sets the clock to the next time `HH:MM` on a day of the week, with 0 for Sunday. */
function moveTo(hour: number, day: number): void {
  let next = Math.floor(time / DAY_MS) * DAY_MS + hour * 3_600_000
  while (next <= time || new Date(next).getUTCDay() !== day) next += DAY_MS
  moveBy(next - time)
}

function moveBy(ms: number): void {
  time += ms
  for (const { run } of alarms.splice(0)) run()
}

const stage = await createModelStageHere('', { isShared: true })
await stage.goOnWith((options) => startServerHere({ ...options, clock }))
await stage.as('ann', ['create', 'den'])
afterAll(() => stage[Symbol.asyncDispose]())

/** Types the line of a recipe in den, and waits until the routine is made. */
async function follow(title: string): Promise<SshSession> {
  const session = await stage.open('ann', '-T')
  session.write('/join den\n')
  await session.waitFor('-- den')
  const from = session.output().length
  session.write(`${recipes.get(title)}\n`)
  await session.waitFor(/(?:routine|reminder) \d+.* ends it/, from)
  return session
}

const requestText = (): string => JSON.stringify(stage.models.requests.at(-1)?.body)

test('docs/routines.md has six recipes and at most 8 KB', () => {
  expect(recipes.size).toBe(6)
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(8_192)
})

test('the standup recipe asks the model on weekdays at nine', async () => {
  await using session = await follow('A standup summary')
  stage.models.play(says('nothing happened'))
  moveTo(9, 4)
  await session.waitFor('nothing happened')
  expect(session.output()).toMatch(/ann \(routine \d+\): @qwen sum up in five lines/)
  session.write('/routines end 1\n')
  await session.waitFor('ended routine 1')
})

test('the alert recipe lets the model store a note after a person allows it', async () => {
  await using session = await follow('From an alert to a note')
  stage.models.play(calls('note', { text: 'look at /var/log' }), says('look at /var/log'))
  await stage.as('ann', ['say', 'den', '-'], { input: 'web1: disk full on /var\n' })
  const asked = await session.waitFor(/question \d+: may [^]*?\/deny \d+\n/)
  expect(requestText()).toContain('web1: disk full on /var')
  session.write(`/allow room ${/question (\d+): may/.exec(asked)![1]}\n`)
  await session.waitFor('qwen: look at /var/log')
  expect((await stage.as('ann', ['kv', 'den', 'notes'])).stdout).toContain('look at /var/log')
})

test('the reminder recipe rings the bell in a session', async () => {
  await using session = await follow('A reminder')
  moveBy(600_000)
  await session.waitFor('reminder -> you: the tea is ready')
})

test('the build recipe posts nothing after a good build, and offers the model two tools', async () => {
  await using session = await follow('The bedtime of a build')
  stage.models.play(says('-'), says('step 3 failed'))
  moveTo(23, 4)
  await expect.poll(() => stage.models.requests.length).toBe(4)
  // The next time is stored after the model is asked; from a later clock it would be a later one.
  await expect
    .poll(async () => (await stage.as('ann', ['routines', 'den'])).stdout)
    .toContain('2027-01-08 23:00')
  moveTo(23, 5)
  await session.waitFor('qwen: step 3 failed')
  expect(session.output()).not.toContain('qwen: -')
  session.write('/routines end 3\n')
  await session.waitFor('ended routine 3')
  const { tools = [] } = stage.models.requests.at(-1)!.body as { tools?: { function: { name: string } }[] }
  expect(tools.every(({ function: { name } }) => ['Read', 'read_file', 'run_command'].includes(name))).toBe(
    true,
  )
})

test('the recipe of a listening room makes the model answer a line that mentions nobody', async () => {
  await using session = await follow('A room that listens')
  stage.models.play(says('on tuesday'))
  // Lines of a pipe are those of a program.
  await using typing = await stage.open('bob', '-tt')
  await typing.waitFor('lobby')
  typing.write('/join den\r')
  await session.waitFor('bob joined')
  typing.write('when do we meet?\r')
  await session.waitFor('qwen: on tuesday')
  session.write('/listen off\n')
  await session.waitFor('ended routine 4')
})

test('the weekly digest recipe asks the model on Fridays at five', async () => {
  await using session = await follow('A weekly digest')
  stage.models.play(says('decided: tea'))
  moveTo(17, 5)
  await session.waitFor('qwen: decided: tea')
})
