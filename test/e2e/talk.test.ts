import { afterAll, beforeAll, expect, test } from 'vitest'
import { says } from '../support/model-server.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'

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
  for (const name of ['alice', 'bob', 'eve']) await stage.as(name, ['whoami'])
})
afterAll(() => stage[Symbol.asyncDispose]())

const out = async (name: string, ...words: string[]): Promise<string> => (await stage.as(name, words)).stdout

/** All that a session printed by the time that it answers. */
async function printed(session: SshSession, name: string): Promise<string> {
  const from = session.output().length
  session.write('/whoami\n')
  return await session.waitFor(new RegExp(`${name} \\(`), from)
}

const asked = (): string => JSON.stringify(stage.models.requests.at(-1)?.body)

test('a message to somebody offline is read once, at the next login, and found by nobody else', async () => {
  await stage.goOnWith(startServer)
  const sent = await stage.as('alice', ['msg', 'BOB', 'the quokka sleeps\nalice: at noon'])
  expect(sent).toEqual({
    exitCode: 0,
    stdout: 'you -> bob: the quokka sleeps\n  alice: at noon\n',
    stderr: '',
  })
  const lookers = [
    ['search', '-', 'quokka'],
    ['search', 'lobby', 'quokka'],
    ['history', 'lobby', '--json', '-n', '1000'],
    ['history', 'lobby', 'stats', '--json'],
    ['export', 'lobby', '--json'],
    ['wrap', 'lobby', '@qwen', '--json'],
    ['kv', 'lobby', '--json'],
    ['who', 'lobby', '--json'],
    ['turn', 'lobby', 'last', 'full'],
    ['run', 'lobby', 'search', '{"words":"quokka"}'],
    ['run', 'lobby', 'history', '{"limit":200}'],
    ['msg', 'bob'],
    ['reply', 'what was it?'],
  ]
  for (const name of ['rhea', 'eve', 'alice', 'bob'])
    for (const words of lookers) {
      const { stdout, stderr } = await stage.as(name, words)
      expect(`${stdout}${stderr}`).not.toContain('sleeps')
    }
  stage.models.play(says('no idea'))
  await stage.as('bob', ['ask', 'lobby', '@qwen', 'what did alice write to me?'])
  expect(asked()).not.toContain('sleeps')

  await stage.restart('SIGKILL')
  {
    await using bob = await stage.open('bob', '-T')
    const first = await bob.waitFor('at noon')
    expect(first).toMatch(
      /^alice -> you \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\): the quokka sleeps\n {2}alice: at noon$/m,
    )
    bob.write('/reply woken\n')
    await bob.waitFor('you -> alice: woken')
    expect((await printed(bob, 'bob')).split('sleeps')).toHaveLength(2)
  }
  {
    await using bob = await stage.open('bob', '-T')
    await bob.waitFor(/[-─] lobby/)
    expect(await printed(bob, 'bob')).not.toContain('sleeps')
  }
  await using alice = await stage.open('alice', '-tt')
  // The head has a look of its own.
  await alice.waitFor(/bob -> you \(.* UTC\):\S* woken/)
  expect(stage.server.stderr()).not.toContain('sleeps')
})

test('a message is shown on all sessions of a person, and to nobody who was not written to', async () => {
  await stage.goOnWith(startServer)
  await using eve = await stage.open('eve', '-T')
  await using bob = await stage.open('bob', '-T')
  await using again = await stage.open('bob', '-tt')
  for (const session of [eve, bob, again]) await session.waitFor(/[-─] lobby/)
  eve.write('/w bob psst\n')
  await eve.waitFor('you -> bob: psst')
  await Promise.all([bob, again].map((session) => session.waitFor(/eve -> you:\S* psst/)))
  bob.write('/reply go away\n/ignore eve\n')
  await eve.waitFor('bob -> you: go away')
  await bob.waitFor('you ignore eve now')
  eve.write('/msg bob are you there?\nhello @bob\n/react 👍\n/me waves\n')
  await eve.waitFor('eve waves')
  await stage.as('alice', ['say', 'lobby', 'a line of mine'])
  await Promise.all([bob, again].map((session) => session.waitFor('a line of mine')))
  for (const session of [bob, again]) expect(session.output()).not.toMatch(/there\?|hello @bob|waves|👍/)
  expect(await out('bob', 'history', 'lobby')).toContain('eve: hello @bob')
})

test('whoever is ignored is not heard through a tool either, which others see', async () => {
  await using alice = await stage.open('alice', '-T')
  await using bob = await stage.open('bob', '-T')
  await using eve = await stage.open('eve', '-T')
  for (const session of [alice, bob, eve]) await session.waitFor('eve joined')
  eve.write('/run say {"text":"buy my snails"}\n')
  await alice.waitFor('| buy my snails')
  await eve.waitFor(/question (\d+): may eve use/)
  eve.write('/allow\n')
  await alice.waitFor('eve: buy my snails')
  eve.write('/run calculator {"expression":"snails"}\n')
  await alice.waitFor(/calculator.*snails[^]*ERROR/)
  await stage.as('alice', ['say', 'lobby', 'no snails, please'])
  await bob.waitFor('no snails, please')
  expect(bob.output().replace('no snails, please', '')).not.toContain('snails')
})

test('whom somebody ignores stays ignored after a restart, in what is replayed too, and is heard once it is undone', async () => {
  await stage.restart('SIGKILL')
  expect(await out('bob', 'ignore')).toBe('eve\n')
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor('alice: a line of mine')
  expect(await printed(bob, 'bob')).not.toMatch(/hello @bob|there\?/)
  bob.write('/ignore EVE\n')
  await bob.waitFor('what eve says is shown again')
  await stage.as('eve', ['say', 'lobby', 'thanks'])
  await bob.waitFor('eve: thanks')
})

test('models read the last version of a line, and nothing of what was taken back; the log keeps all', async () => {
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor(/[-─] lobby/)
  await stage.as('alice', ['say', 'lobby', 'meet at the walrus'])
  await stage.as('alice', ['edit', 'lobby', 'meet at the narwhal'])
  await bob.waitFor('alice (edited): meet at the narwhal')
  await stage.as('eve', ['react', 'lobby', '👍'])
  await bob.waitFor('* eve reacted 👍 to alice')
  stage.models.play(says('at the narwhal'))
  await stage.as('eve', ['ask', 'lobby', '@qwen', 'where?'])
  expect(asked()).toContain('meet at the narwhal')
  expect(asked()).not.toContain('walrus')
  expect(await out('bob', 'search', 'lobby', 'walrus')).toContain('nothing here has')

  expect(await stage.as('alice', ['retract', 'lobby'])).toMatchObject({ exitCode: 0 })
  await bob.waitFor('-- alice took back their line')
  stage.models.play(says('I do not know'))
  await stage.as('eve', ['ask', 'lobby', '@qwen', 'and who said so?'])
  expect(asked()).not.toContain('meet at')
  expect(await out('bob', 'search', 'lobby', 'meet')).toContain('nothing here has')
  // The first request was sent with it.
  const { stdout: turns } = await stage.as('eve', ['history', 'lobby', '--json', '-n', '50'])
  const entries = turns
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const first = entries.find(({ text }) => text === 'at the narwhal')
  expect(await out('eve', 'turn', 'lobby', first.turn, 'full')).toContain('meet at the narwhal')
  const line = entries.find(({ text }) => text === 'meet at the walrus')
  expect(entries).toContainEqual(expect.objectContaining({ text: 'meet at the narwhal', edits: line.id }))
  expect(entries).toContainEqual(expect.objectContaining({ kind: 'notice', retracts: line.id }))
  expect(entries).toContainEqual(expect.objectContaining({ kind: 'action', text: '👍', reacts: line.id }))
  expect(await stage.as('eve', ['retract', 'lobby'])).toMatchObject({ exitCode: 0 })
})

test('somebody away is announced once to who mentions or writes to them, until they speak', async () => {
  await using bob = await stage.open('bob', '-T')
  await using eve = await stage.open('eve', '-T')
  for (const session of [bob, eve]) await session.waitFor(/[-─] lobby/)
  bob.write('/away lunch\n')
  await bob.waitFor('you are away')
  eve.write('where is @Bob?\n@bob!\n/msg bob ping\n')
  await eve.waitFor('you -> bob: ping')
  expect((await printed(eve, 'eve')).split('-- bob is away: lunch')).toHaveLength(2)
  expect(await out('eve', 'who', 'lobby')).toContain('bob (away: lunch)')
  bob.write('back\n')
  await bob.waitFor('-- you are not away any more')
  expect(await out('eve', 'who', 'lobby')).toMatch(/^bob, eve\n/)
})
