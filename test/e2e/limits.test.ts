import { afterAll, beforeAll, expect, test } from 'vitest'
import { says } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>

/** Every answer of the model server uses 18 tokens. */
beforeAll(async () => {
  stage = await createModelStageHere(`
context_window = 16000

[limits]
members_per_room = 1
stall_s = 1
tokens_per_person_day = 30
tokens_per_room_day = 50
`)
})
afterAll(() => stage[Symbol.asyncDispose]())

const ask = (name: string) => stage.as(name, ['ask', 'lobby', '@qwen', 'hello?'])

test('whoever would be one too many in the lobby is told so and sent away', async () => {
  await using alice = await stage.open('alice', '-T')
  await alice.waitFor('-- lobby')
  await using other = await stage.open('alice', '-T')
  await other.waitFor('-- lobby')
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor('! lobby is full: 1 of 1 people are in it; try again later')
  expect(await bob.exit).toBe(1)
  expect(alice.output()).not.toContain('bob')
})

test('a command whose standard input never ends is told so, and holds its connection no longer', async () => {
  const { port } = stage.server
  const target = { user: 'carol', port, key: await stage.home.key('carol'), options: ['-T'] }
  for (const silent of [true, false]) {
    await using command = openSsh(target, ['say', 'lobby'])
    if (!silent) command.write('half a line')
    await command.waitForError('standard input has not ended, and almost nothing came on it for 1s')
    expect(await command.exit).toBe(1)
  }
  const { stdout } = await stage.as('carol', ['history', 'lobby'])
  expect(stdout).not.toContain('half a line')
  expect(await stage.as('carol', ['say', 'lobby'], { input: 'a whole line' })).toMatchObject({ exitCode: 0 })
})

test('tokens are counted for a person and for a room, and a restart gives none back', async () => {
  await stage.goOnWith(startServer)
  stage.models.play(says('one'), says('two'), says('three'))
  for (const name of ['alice', 'alice', 'bob']) expect((await ask(name)).exitCode).toBe(0)
  await stage.restart('SIGKILL')
  const [alice, bob] = [await ask('alice'), await ask('bob')]
  expect(alice.exitCode).toBe(1)
  expect(alice.stderr).toMatch(
    /^the quota of alice \(tokens_per_person_day\) is used up: 36 of 30 tokens in 24 hours; ask again in (1d|23h 59m)\n$/,
  )
  expect(bob.exitCode).toBe(1)
  expect(bob.stderr).toMatch(
    /^the quota of lobby \(tokens_per_room_day\) is used up: 54 of 50 tokens in 24 hours; ask again in (1d|23h 59m)\n$/,
  )
  expect(stage.models.requests).toHaveLength(3)
})
