import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says } from '../support/model-server.ts'
import { createModelStageHere } from '../support/stage.ts'
import { terminalsOf } from '../support/at-terminal.ts'

const stage = await forAllTests(createModelStageHere('', { isShared: true }))
const atTerminal = terminalsOf(stage)
const STATUS = (room: string): RegExp => new RegExp(`\\n${room} · (?:.* · )?\\d+ here`)

for (const name of ['rhea', 'bob', 'cy']) await stage.as(name, ['whoami'])
for (const room of ['den', 'ops']) await stage.as('rhea', ['create', room])
await stage.as('rhea', ['create', 'attic', '--private'])

const bells = (text: string): number => text.split('\u0007').length - 1
const linesOf = async (name: string, ...words: string[]): Promise<readonly Record<string, unknown>[]> =>
  (await stage.as(name, words)).stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test("a model's search reads only rooms that everybody in its room may read", async () => {
  await stage.as('rhea', ['create', 'cellar', '--private'])
  await stage.as('rhea', ['create', 'team', '--private'])
  await stage.as('rhea', ['invite', 'cellar', 'bob'])
  await stage.as('bob', ['join', 'cellar'])
  for (const [room, what] of Object.entries({ cellar: 'ruby', team: 'onyx', den: 'jade' }))
    await stage.as('rhea', ['say', room, `the treasure is ${what}`])
  const found = async (room: string): Promise<string> => {
    const before = stage.models.requests.length
    stage.models.play(calls('search', { words: 'treasure' }), says('there it is'))
    await stage.as('rhea', ['ask', room, '@qwen', 'search'])
    const asked = stage.models.requests.slice(before).at(-1)
    return JSON.stringify(asked?.body)
  }
  const inLobby = await found('lobby')
  expect(inLobby).toContain('[den]')
  expect(inLobby).not.toMatch(/ruby|onyx/)
  const inCellar = await found('cellar')
  expect(inCellar).toMatch(/\[cellar\][^"]*ruby/)
  expect(inCellar).toMatch(/\[den\][^"]*jade/)
  expect(inCellar).not.toContain('onyx')
  const inTeam = await found('team')
  for (const told of ['ruby', 'onyx', 'jade']) expect(inTeam).toContain(told)
  // Somebody who comes to the team later may not read the cellar.
  for (const words of [
    ['export', 'team', '--json'],
    ['turn', 'team', '--json', 'last'],
  ]) {
    const { stdout } = await stage.as('rhea', words)
    expect(stdout).toMatch(/\[1 line of another private room\]/)
    expect(stdout).toMatch(/onyx/)
    expect(stdout).toMatch(/jade/)
    expect(stdout).not.toContain('ruby')
  }
})

test.each(['history', 'look'])(
  'the log has no line that a model read by %s in another private room',
  async (tool) => {
    await stage.as('rhea', ['topic', 'cellar', 'the ruby'])
    stage.models.play(calls(tool, { room: 'cellar' }), says('I have read it'))
    await stage.as('rhea', ['ask', 'team', '@qwen', 'read the cellar'])
    expect(JSON.stringify(stage.models.requests.at(-1)?.body)).toContain('ruby')
    for (const words of [
      ['export', 'team', '--json'],
      ['turn', 'team', 'full'],
    ])
      expect((await stage.as('rhea', words)).stdout).not.toContain('ruby')
  },
)

test('/mentions lists the lines that name a person in the rooms that the person may still read', async () => {
  await stage.as('bob', ['join', 'ops'])
  await stage.as('rhea', ['say', 'den', '@bob', 'first'])
  await stage.as('rhea', ['say', 'ops', 'bob:', 'second'])
  await stage.as('rhea', ['say', 'ops', 'I spoke with bob, and did not name him'])
  await stage.as('bob', ['say', 'ops', '@bob', 'my own'])
  await stage.as('rhea', ['invite', 'attic', 'bob'])
  await stage.as('bob', ['join', 'attic'])
  await stage.as('rhea', ['say', 'attic', '@bob', 'third'])
  expect(
    (await linesOf('bob', 'mentions', '--json')).map(({ text, room, unread }) => [text, room, unread]),
  ).toEqual([
    ['@bob third', 'attic', true],
    ['bob: second', 'ops', true],
    ['@bob first', 'den', true],
  ])
  await stage.as('rhea', ['kick', 'attic', 'bob'])
  await stage.as('rhea', ['uninvite', 'attic', 'bob'])
  expect((await stage.as('bob', ['mentions'])).stdout).toMatch(
    /^1 {2}new {2}\S+ \S+ {2}ops {2}rhea: bob: second\n2 {2}new .* den {2}rhea: @bob first\n$/,
  )

  await using bob = await atTerminal('bob')
  await bob.shows(STATUS('lobby'))
  bob.type('/mentions')
  await bob.shows(/^2 {2}new .* den {2}rhea: @bob first/m)
  await stage.as('rhea', ['say', 'ops', '@bob', 'fourth'])
  await bob.shows(/\[ops\] rhea: @bob fourth/)
  bob.type('/mentions 2')
  await bob.shows(STATUS('den'))
  await stage.as('rhea', ['say', 'ops', '@bob', 'a slip'])
  await bob.shows(/\[ops\] rhea: @bob a slip/)
  bob.type('/mentions')
  await bob.shows(/^1 {2}new .* ops {2}rhea: @bob a slip/m)
  await stage.as('rhea', ['retract', 'ops'])
  bob.type('/mentions 1')
  await bob.shows(/this line was taken back/)
  await bob.quit()
  expect((await linesOf('bob', 'mentions', '--json')).map(({ text, unread }) => [text, unread])).toEqual([
    ['@bob fourth', true],
    ['bob: second', true],
    ['@bob first', false],
  ])
  expect(await stage.as('bob', ['mentions', '9'])).toMatchObject({ exitCode: 1 })
})

test('a word of /set words rings in any case, but not in own lines or routine lines', async () => {
  await using cy = await atTerminal('cy')
  await cy.shows(STATUS('lobby'))
  cy.type('/set words postgres, due invoice')
  await cy.shows(/words is postgres, due invoice/)
  cy.type('/join den')
  await cy.shows(STATUS('den'))
  const before = bells(cy.session.output())
  cy.type('I like postgres')
  await cy.shows(/cy: I like postgres/)
  for (const text of ['postgresql is long', 'an invoice']) await stage.as('rhea', ['say', 'den', text])
  await cy.shows(/an invoice/)
  expect(bells(cy.session.output())).toBe(before)
  await stage.as('rhea', ['say', 'den', 'the POSTGRES server is down'])
  await cy.shows(/POSTGRES server/)
  expect(bells(cy.session.output())).toBeGreaterThan(before)
  cy.type('/join ops')
  await cy.shows(STATUS('ops'))
  await stage.as('rhea', ['say', 'den', 'one more Due  Invoice.'])
  await stage.as('rhea', ['say', 'den', 'one more Due Invoice.'])
  await cy.shows(/\[den\] rhea: one more Due Invoice\./)
  cy.type('/set words off')
  await cy.shows(/words is off/)
  await cy.quit()
  expect((await stage.as('cy', ['set', 'words', ','])).exitCode).toBe(1)
})

test('/ring sets which lines ring in one room, and the setting survives a rename of the room', async () => {
  await using eve = await atTerminal('eve')
  await eve.shows(STATUS('lobby'))
  eve.type('/join den')
  await eve.shows(STATUS('den'))
  eve.type('/ring off')
  await eve.shows(/den: nothing rings for you/)
  const before = bells(eve.session.output())
  await stage.as('rhea', ['say', 'den', '@eve', 'quiet please'])
  await eve.shows(/@eve quiet please/)
  expect(bells(eve.session.output())).toBe(before)
  eve.type('/join lobby')
  await eve.shows(STATUS('lobby'))
  await stage.as('rhea', ['say', 'den', '@eve', 'still quiet'])
  await stage.as('rhea', ['say', 'lobby', 'the end'])
  await eve.shows(/the end/)
  expect(bells(eve.session.output())).toBe(before)
  expect(eve.session.output()).not.toContain('still quiet')
  await stage.as('rhea', ['create', 'hall'])
  expect((await stage.as('eve', ['ring', 'hall', 'all'])).stdout).toBe('hall: each line rings for you\n')
  await stage.as('rhea', ['rename-room', 'hall', 'great-hall'])
  expect((await stage.as('eve', ['ring', 'great-hall'])).stdout).toBe('great-hall: each line rings for you\n')
  eve.type('/join great-hall')
  await eve.shows(STATUS('great-hall'))
  await stage.as('rhea', ['say', 'great-hall', 'nobody is named'])
  await eve.shows(/nobody is named/)
  expect(bells(eve.session.output())).toBeGreaterThan(before)
  await eve.quit()
  await stage.as('rhea', ['delete', 'great-hall', 'great-hall'])
  await stage.as('rhea', ['create', 'great-hall'])
  expect((await stage.as('eve', ['ring', 'great-hall'])).stdout).toContain('what /set bell says')
})

test('a pin is shown under the heading, in prompts and in exports until its line is removed', async () => {
  await stage.as('rhea', ['create', 'board'])
  for (const text of ['the release is on Friday', 'wear a hat', 'the key is under the mat'])
    await stage.as('bob', ['say', 'board', text])
  expect((await stage.as('bob', ['pin', 'board'])).exitCode).toBe(1)
  expect((await stage.as('rhea', ['pin', 'board', '3'])).stdout).toBe('rhea pinned a line of bob\n')
  const [last] = await linesOf('rhea', 'search', 'board', '--json', 'mat')
  expect(await stage.as('rhea', ['pin', 'board', String(last!['id'])])).toMatchObject({ exitCode: 0 })
  expect(await stage.as('rhea', ['pin', 'board', String(last!['id'])])).toMatchObject({ exitCode: 1 })
  {
    await using cy = await atTerminal('cy', 'join', 'board')
    await cy.shows(/pinned 1: bob: the release is on Friday\n.*pinned 2: bob: the key is under the mat/)
    await cy.quit()
  }
  expect((await stage.as('cy', ['topic', 'board'])).stdout).toContain(
    'pinned 2: bob: the key is under the mat',
  )
  const pinned = /Pinned lines:\n- bob: the release is on Friday\n- bob: the key is under the mat/
  const wrapped = JSON.parse((await stage.as('cy', ['wrap', 'board', '@qwen', '--json'])).stdout) as object
  expect(wrapped).toMatchObject({ context: expect.stringMatching(pinned) })
  stage.models.play(says('yes'))
  await stage.as('cy', ['ask', 'board', '@qwen', 'when?'])
  expect(JSON.stringify(stage.models.requests.at(-1)?.body)).toContain('Pinned lines:\\n- bob: the release')
  const exported = (await stage.as('cy', ['export', 'board'])).stdout
  expect(exported).toContain('- pinned 1: bob: the release is on Friday')
  expect((await stage.as('cy', ['export', 'board', '--html'])).stdout).toContain('pinned 2: bob: the key')

  await stage.as('rhea', ['fork', 'board', 'board-2'])
  expect((await stage.as('rhea', ['topic', 'board-2'])).stdout).not.toContain('pinned')
  expect((await stage.as('rhea', ['unpin', 'board', '1'])).stdout).toBe(
    'rhea took away the pin of a line of bob\n',
  )
  await stage.claim('ada')
  await stage.as('ada', ['purge', 'bob', '--yes'])
  expect((await stage.as('cy', ['topic', 'board'])).stdout).not.toContain('pinned')
  expect(await stage.as('rhea', ['unpin', 'board'])).toMatchObject({ exitCode: 1 })
})
