import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { says } from '../support/model-server.ts'
import { startServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'

/** All that a session printed by the time that it answers. */
async function printed(session: SshSession, name: string): Promise<string> {
  const from = session.output().length
  session.write('/whoami\n')
  return await session.waitFor(new RegExp(`${name} \\(`), from)
}

const stage = await forAllTests(
  createModelStageHere(
    `
[limits]
rate_burst = 100000
bytes_per_person_day = 0
waiting_messages_per_person = 10
names_per_key = 10
connections_per_person = 20
queue_bytes = 65536
stall_s = 300
`,
    { isShared: true },
  ),
)
await stage.claim('rhea')
for (const name of ['alice', 'bob', 'eve', 'ann', 'dan']) await stage.as(name, ['whoami'])

const out = async (name: string, ...words: string[]): Promise<string> => (await stage.as(name, words)).stdout

const asked = (): string => JSON.stringify(stage.models.requests.at(-1)?.body)

test('a direct message to an absent person is shown once at the next login, and to nobody else', async () => {
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
    await bob.waitFor(/[-─]\S* lobby/)
    expect(await printed(bob, 'bob')).not.toContain('sleeps')
  }
  await using alice = await stage.open('alice', '-tt')
  // The head has a look of its own.
  await alice.waitFor(/bob -> you \(.* UTC\):\S* woken/)
  expect(stage.server.stderr()).not.toContain('sleeps')
})

test('a direct message appears in all sessions of its recipient, but not if they ignore the sender', async () => {
  await stage.goOnWith(startServer)
  await using eve = await stage.open('eve', '-T')
  await using bob = await stage.open('bob', '-T')
  await using again = await stage.open('bob', '-tt')
  for (const session of [eve, bob, again]) await session.waitFor(/[-─]\S* lobby/)
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

test('an ignored person cannot reach the ignorer through a tool, but other people see the call', async () => {
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

test('/ignore survives a restart and hides replayed lines until it is undone', async () => {
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

test('models read the last version of an edited line and nothing of a retracted one', async () => {
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor(/[-─]\S* lobby/)
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

test('an absence is announced once to a person who mentions or writes to the absent one', async () => {
  await using bob = await stage.open('bob', '-T')
  await using eve = await stage.open('eve', '-T')
  for (const session of [bob, eve]) await session.waitFor(/[-─]\S* lobby/)
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

/** Opens a session that has shown its room. */
async function inLobby(name: string, key?: string): Promise<SshSession> {
  const session = await stage.open(name, '-T', key)
  await session.waitFor(/[-─]\S* lobby/)
  return session
}

test('a direct message to a paused client is delivered at the next login if the client is killed', async () => {
  const dan = await inLobby('dan')
  dan.child.kill('SIGSTOP')
  expect(await stage.as('ann', ['msg', 'dan', 'while you sleep'])).toMatchObject({ exitCode: 0 })
  await dan[Symbol.asyncDispose]()
  expect(dan.output()).not.toContain('while you sleep')
  {
    await using again = await stage.open('dan', '-T')
    await again.waitFor(/ann -> you \(.* UTC\): while you sleep/)
    await printed(again, 'dan')
  }
  await using third = await inLobby('dan')
  expect(await printed(third, 'dan')).not.toContain('while you sleep')
})

test('a direct message is delivered to a slow session that skips other messages', async () => {
  await using bob = await inLobby('bob')
  await using ann = await inLobby('ann')
  bob.child.kill('SIGSTOP')
  const lines = 1_200
  for (let n = 1; n <= lines; n += 1) ann.write(`${n} ${'z'.repeat(3_900)}\n`)
  // What she wrote comes back to her as well, and may be skipped there: all of it is said when her session has ended.
  ann.write('/quit\n')
  await ann.exit
  await stage.as('eve', ['msg', 'bob', 'not to be skipped'])
  bob.child.kill('SIGCONT')
  await bob.waitFor(/\[\d+ messages skipped\]/)
  await bob.waitFor('not to be skipped')
  expect((await printed(bob, 'bob')).split('not to be skipped')).toHaveLength(2)
})

test('all names of a key share one limit of waiting messages to a person', async () => {
  for (const name of ['pest1', 'pest2', 'pest3']) await stage.as(name, ['whoami'], { key: 'pest' })
  const sent: (number | undefined)[] = []
  for (const name of ['pest1', 'pest1', 'pest1', 'pest2', 'pest3'])
    sent.push((await stage.as(name, ['msg', 'eve', 'spam'], { key: 'pest' })).exitCode)
  expect(sent).toEqual([0, 0, 1, 1, 1])
  expect(await stage.as('ann', ['msg', 'eve', 'important'])).toMatchObject({ exitCode: 0 })
})

test('an ignored person stays ignored under other names, as a guest and for invitations', async () => {
  await using eve = await inLobby('eve')
  eve.write('/ignore pest1\n')
  await eve.waitFor('you ignore pest1 now')
  const from = eve.output().length
  const pest = (name: string, ...words: string[]) => stage.as(name, words, { key: 'pest' })
  expect(await pest('pest1', 'rename', 'pestnew')).toMatchObject({ exitCode: 0 })
  await stage.as('late', ['whoami'], { key: 'pest' })
  for (const name of ['pestnew', 'pest2', 'late', 'ann']) {
    await pest(name, 'msg', 'eve', `to eve from ${name}`)
    await pest(name, 'say', 'lobby', `to all from ${name}`)
  }
  await pest('pestnew', 'create', 'buy-now', '--private')
  await pest('pestnew', 'invite', 'buy-now', 'eve')
  await stage.as('dan', ['say', 'lobby', 'a line of mine'])
  await eve.waitFor('dan: a line of mine', from)
  expect((await printed(eve, 'eve')).slice(from)).not.toMatch(/to eve|to all|invited you/)
  expect((await stage.as('eve', ['rooms'])).stdout).toContain('buy-now')
  await using again = await inLobby('eve')
  expect(await printed(again, 'eve')).not.toMatch(/to eve|to all|invited you/)
  eve.write('/ignore pestnew\n')
  await eve.waitFor('what pestnew says is shown again')
  await pest('pest2', 'say', 'lobby', 'thanks')
  await eve.waitFor('pest2: thanks')
})

test('a renamed person can still edit or retract their last line and undo their reaction', async () => {
  await stage.as('dan', ['say', 'lobby', 'one'])
  await stage.as('dan', ['say', 'lobby', 'two'])
  await stage.as('dan', ['react', 'lobby', '👍'])
  expect(await stage.as('dan', ['rename', 'daniel'])).toMatchObject({ exitCode: 0 })
  const daniel = (...words: string[]) => stage.as('daniel', words, { key: 'dan' })
  expect(await daniel('react', 'lobby', '👍')).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await daniel('history', 'lobby', '-n', '1')).stdout).toContain('daniel took back 👍')
  expect(await daniel('edit', 'lobby', 'two, mended')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await daniel('retract', 'lobby')).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await stage.as('ann', ['history', 'lobby', '-n', '1'])).stdout).toMatch(
    /daniel took back their line of a moment ago/,
  )
  const { stdout } = await stage.as('ann', ['history', 'lobby', '--json', '-n', '20'])
  expect(stdout).not.toContain('"by"')
})

test('a line with a space before its slash is neither posted nor run as a command', async () => {
  await using ann = await inLobby('ann')
  for (const line of [' /msg bob a secret', '\t/msg bob a secret', '\u200b/msg bob a secret'])
    ann.write(`${line}\n`)
  ann.write('//etc is full\n')
  await ann.waitFor('ann: /etc is full')
  expect(
    ann.output().split('! nothing was said or done: the line has a space before its slash'),
  ).toHaveLength(4)
  expect((await stage.as('bob', ['history', 'lobby'])).stdout).not.toContain('a secret')
})

test('a time zone set with /set is still set at the next login', async () => {
  await using first = await stage.open('ann', '-T')
  await first.waitFor(/[-─]\S* lobby/)
  first.write('/set timezone asia/kolkata\n')
  await first.waitFor(/timezone is (?:asia\/kolkata, which is )?Asia\//)
  first.close()
  await first.exit
  await using next = await stage.open('ann', '-T')
  await next.waitFor(/[-─]\S* lobby/)
  next.write('/set timezone\n')
  await next.waitFor(/timezone Asia\/(?:Kolkata|Calcutta) \(or/)
})

test('a long text is folded on a terminal, and /search highlights its matching words', async () => {
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor(/[-─]\S* lobby/)
  const rows = Array.from({ length: 30 }, (_, index) => `row ${index} of the walrus`)
  await stage.as('rhea', ['say', 'lobby', rows.join('\n')])
  await bob.waitFor('… 22 more lines: /history paste')
  expect(bob.output()).not.toContain('row 29')
  const from = bob.output().length
  bob.write('/search row 29\r')
  // The word begins in a look of its own.
  await bob.waitFor(/\u001b\[[\d;]*mrow\u001b\[[^]*29/, from)
})
