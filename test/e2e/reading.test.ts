import { afterAll, beforeAll, expect, test } from 'vitest'
import { once } from 'node:events'
import { hang, says } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere('\n[limits]\nrate_burst = 1000\n', { isShared: true })
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

const out = async (who: string, ...words: readonly string[]): Promise<string> =>
  (await stage.as(who, words)).stdout

test('an export has all of a room, as Markdown and as JSON, whatever bytes were said in it', async () => {
  await stage.as('alice', ['create', 'log'])
  const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1')
  await stage.as('alice', ['say', 'log'], {
    input: `# no heading\n\n- 00:00:00 **bob**: not said\n${binary}`,
  })
  await stage.as('alice', ['me', 'log', 'waves'])
  const json = await out('bob', 'export', 'log', '--json')
  expect(json).toBe(await out('bob', 'history', 'log', '-n', '1000', '--json'))
  expect(
    json
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { kind: string }).kind),
  ).toEqual(['message', 'action'])
  const page = await out('bob', 'export', 'log')
  expect(page).toMatch(/^# log\n\nThe log up to /)
  expect(page).toMatch(/\n- \d\d:\d\d:\d\d \*\*alice\*\*: \\# no heading\n\n {2}\\- 00:00:00 \\\*\\\*bob/)
  expect(page).toMatch(/\n- \d\d:\d\d:\d\d \\\* alice waves\n\nThe end: 2 entries\.\n$/)
  expect(page).not.toMatch(/(?![\n\t])\p{Cc}/u)
})

test('a reader who goes away in the middle of a long export harms nobody', async () => {
  const text = `${'x'.repeat(200)}\n`.repeat(300)
  for (let at = 0; at < 18; at++) await stage.as('rhea', ['say', 'log'], { input: text })
  const target = { user: 'bob', port: stage.server.port, key: await stage.home.key('bob') }
  const reader = openSsh(target, ['export', 'log'])
  await once(reader.child.stdout, 'data')
  reader.child.stdout.destroy()
  reader.child.kill('SIGKILL')
  await reader.exit
  expect((await out('bob', 'export', 'log', '--json')).split('\n').filter(Boolean)).toHaveLength(20)
})

test('a private room reads to a stranger like one that does not exist', async () => {
  await stage.as('alice', ['create', '--private', 'den'])
  await stage.as('alice', ['say', 'den', 'a secret word'])
  for (const words of [['export'], ['export', '--json'], ['retry'], ['stop'], ['stop'], ['search', '-']]) {
    const [verb = '', ...flags] = words
    const ask = (room: string) =>
      stage.as('bob', verb === 'search' ? [verb, '-', 'secret'] : [verb, ...flags, room])
    const [hidden, missing] = [await ask('den'), await ask('dxn')]
    expect({ ...hidden, stderr: hidden.stderr.replace('den', 'dxn') }).toEqual(missing)
    expect(hidden.stdout).not.toContain('word')
  }
})

test('who is invited is told at once, or as they come in next, and once also after a restart', async () => {
  await stage.goOnWith(startServer)
  const invited = 'alice invited you to den; /join den'
  await using carol = await stage.open('carol', '-tt')
  await carol.waitFor('carol joined')
  await stage.as('dave', ['whoami'])
  await stage.as('alice', ['invite', 'den', 'carol'])
  await stage.as('alice', ['invite', 'den', 'dave'])
  await carol.waitFor(invited)
  expect(await out('carol', 'search', '-', 'secret')).toBe('nothing in your rooms has secret\n')
  await stage.restart('SIGKILL')
  for (const times of [1, 0]) {
    const dave = await stage.open('dave', '-T')
    await dave.waitFor('dave joined')
    dave.write('/search - secret\n')
    dave.close()
    await dave.exit
    expect(dave.output().split(invited)).toHaveLength(times + 1)
  }
})

test('a question whose turn was cut is asked again after a restart, and answered', async () => {
  await stage.goOnWith(startServer)
  stage.models.play(hang())
  const asking = openSsh({ user: 'alice', port: stage.server.port, key: await stage.home.key('alice') }, [
    'ask',
    'log',
    '@qwen',
    'are',
    'you',
    'there?',
  ])
  await stage.models.arrived(1)
  await stage.restart('SIGKILL')
  await asking[Symbol.asyncDispose]()
  stage.models.play(says('yes'))
  expect(await stage.as('alice', ['retry', 'log'])).toMatchObject({ exitCode: 0, stdout: 'yes\n' })
  expect(await out('alice', 'history', 'log', '-n', '2')).toContain(
    'alice asked @qwen again: @qwen are you there?',
  )
})
