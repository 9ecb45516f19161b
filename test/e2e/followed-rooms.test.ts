import { expect, test } from 'vitest'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { says, type Script } from '../support/model-server.ts'
import { startServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'
import { terminalsOf } from '../support/at-terminal.ts'

const stage = await forAllTests(createModelStageHere('', { isShared: true }))
for (const room of ['den', 'ops']) await stage.as('rhea', ['create', room])
await stage.as('rhea', ['create', 'attic', '--private'])

const atTerminal = terminalsOf(stage)

const STATUS = (room: string): RegExp => new RegExp(`\\n${room} · (?:.* · )?\\d+ here`)

const roomsOf = async (name: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  JSON.parse((await stage.as(name, ['rooms', '--json'])).stdout) as Readonly<Record<string, unknown>>[]

test("a login at a terminal returns to the room of the person's last session", async () => {
  {
    await using alice = await atTerminal('alice')
    await alice.shows(STATUS('lobby'))
    alice.type('/join den')
    await alice.shows(STATUS('den'))
    await alice.quit()
  }
  await using again = await atTerminal('alice')
  await again.shows(STATUS('den'))
  again.type('/leave')
  await again.shows(STATUS('lobby'))
  await again.quit()
  await using home = await atTerminal('alice')
  await home.shows(STATUS('lobby'))
})

test('piped input is sent to the lobby, whatever room its person used last', async () => {
  {
    await using zoe = await atTerminal('zoe', 'join', 'den')
    await zoe.shows(STATUS('den'))
    await zoe.quit()
  }
  const pipe = await stage.open('zoe', '-T')
  pipe.write('from the pipe\n')
  pipe.close()
  expect(await pipe.exit).toBe(0)
  expect((await stage.as('zoe', ['history', 'lobby'])).stdout).toContain('zoe: from the pipe')
})

test('a login starts in the lobby if its person was banned from their last room', async () => {
  await stage.as('rhea', ['create', 'pit'])
  {
    await using cy = await atTerminal('cy', 'join', 'pit')
    await cy.shows(STATUS('pit'))
    await cy.quit()
  }
  expect(await stage.as('rhea', ['ban', '--room', 'pit', 'cy'])).toMatchObject({ exitCode: 0 })
  await using again = await atTerminal('cy')
  await again.shows(STATUS('lobby'))
})

test('/join with a pty exits with status 1 if the person is not invited to the private room', async () => {
  const dee = await atTerminal('dee', 'join', 'attic')
  expect(await dee.session.exit).toBe(1)
  expect(dee.session.output()).toContain('! there is no room called attic')
})

test('/join with a pty enters a private room if the person is invited', async () => {
  expect(await stage.as('eve', ['whoami'])).toMatchObject({ exitCode: 0 })
  expect(await stage.as('rhea', ['invite', 'attic', 'eve'])).toMatchObject({ exitCode: 0 })
  await using eve = await atTerminal('eve', 'join', 'attic')
  await eve.shows(STATUS('attic'))
  expect((await stage.as('eve', ['history', 'attic'])).exitCode).toBe(0)
})

/** Answers once the test says so. */
function answersLater(): { readonly script: Script; readonly answer: () => void } {
  const asked = createDeferred<void>()
  return {
    script: async (response, request) => {
      await asked.promise
      await says('forty-two')(response, request)
    },
    answer: () => asked.resolve(),
  }
}

test('unread counts of other rooms appear in the status line and survive a restart', async () => {
  const later = answersLater()
  stage.models.play(later.script)
  {
    await using bob = await atTerminal('bob')
    await bob.shows(STATUS('lobby'))
    bob.type('/join ops')
    await bob.shows(STATUS('ops'))
    bob.type('@qwen how many?')
    await stage.models.arrived(1)
    bob.type('/join den')
    await bob.shows(STATUS('den'))

    await stage.as('rhea', ['say', 'lobby', 'hello all'])
    await bob.shows(/^den · lobby 1 · /m)
    later.answer()
    await bob.shows(/\[ops\] qwen: forty-two/)
    await stage.as('rhea', ['say', 'ops', '@bob', 'have', 'a', 'look'])
    await bob.shows(/\[ops\] rhea: @bob have a look/)
    expect(bob.session.output()).toContain('\u0007')
    await bob.shows(/^den · lobby 1, ops 2! \(Alt-A\) · /m)
    bob.session.write('\u001ba')
    await bob.shows(STATUS('ops'))
    bob.type('/next')
    await bob.shows(STATUS('lobby'))
    bob.type('/next')
    await bob.shows(/nothing is new in your other rooms/)
    await bob.quit()
  }
  await stage.as('rhea', ['say', 'ops', 'bob:', 'and', 'another'])
  for (const text of ['one', 'two', 'three']) await stage.as('rhea', ['say', 'den', text])
  await stage.restart('SIGTERM')
  const rooms = await roomsOf('bob')
  expect(rooms.find(({ name }) => name === 'den')).toMatchObject({ new: 3, named: false })
  expect(rooms.find(({ name }) => name === 'ops')).toMatchObject({ new: 1, named: true })
  const listed = (await stage.as('bob', ['rooms'])).stdout
  expect(listed).toMatch(/^den {2}0 here {2}3 new$/m)
  expect(listed).toMatch(/^ops {2}0 here {2}1 new, you are named$/m)

  await using again = await atTerminal('bob')
  await again.shows(/^lobby · den 3, ops 1! \(Alt-A\) · /m)
  again.type('/next')
  await again.shows(STATUS('ops'))
  await again.shows(/^ops · den 3 · /m)
})

test('a person who created or forked a room by a script follows that room', async () => {
  await stage.as('olga', ['create', 'workshop'])
  await stage.as('olga', ['fork', 'workshop', 'workshop-2'])
  for (const room of ['workshop', 'workshop-2']) await stage.as('rhea', ['say', room, '@olga', 'hello'])
  const mine = (await roomsOf('olga')).filter(({ named }) => named === true)
  expect(mine.map(({ name }) => name)).toEqual(['workshop', 'workshop-2'])
})

test('lines of ignored people and of left rooms are not counted as unread', async () => {
  {
    await using fay = await atTerminal('fay', 'join', 'den')
    await fay.shows(STATUS('den'))
    fay.type('/join ops')
    await fay.shows(STATUS('ops'))
    await stage.as('pest', ['whoami'])
    fay.type('/ignore pest')
    await fay.shows(/you ignore pest now/)
    fay.type('/leave')
    await fay.shows(STATUS('lobby'))
    await fay.quit()
  }
  await stage.as('pest', ['say', 'den', '@fay', 'psst'])
  await stage.as('rhea', ['say', 'ops', '@fay', 'hello'])
  const rooms = await roomsOf('fay')
  for (const room of rooms) expect(room).not.toHaveProperty('new')
  await stage.as('rhea', ['say', 'den', 'a', 'line'])
  expect((await roomsOf('fay')).find(({ name }) => name === 'den')).toMatchObject({ new: 1, named: false })
})

test('a room that a person was banned or uninvited from is no longer counted as unread', async () => {
  for (const room of ['yard', 'vault']) await stage.as('rhea', ['create', room])
  await stage.as('rhea', ['create', 'loft', '--private'])
  await stage.as('ivy', ['whoami'])
  await stage.as('rhea', ['invite', 'loft', 'ivy'])
  await using ivy = await atTerminal('ivy')
  await ivy.shows(STATUS('lobby'))
  for (const room of ['yard', 'loft', 'vault', 'lobby']) {
    ivy.type(`/join ${room}`)
    await ivy.shows(STATUS(room))
  }
  await stage.as('rhea', ['say', 'yard', 'before'])
  await stage.as('rhea', ['say', 'loft', 'before'])
  await ivy.shows(/^lobby · loft 1, yard 1 · /m)
  expect(await stage.as('rhea', ['ban', '--room', 'yard', 'ivy'])).toMatchObject({ exitCode: 0 })
  expect(await stage.as('rhea', ['uninvite', 'loft', 'ivy'])).toMatchObject({ exitCode: 0 })
  for (const room of ['yard', 'loft']) await stage.as('rhea', ['say', room, 'after'])
  await stage.as('rhea', ['say', 'vault', '@ivy look'])
  await ivy.shows(/\[vault\] rhea: @ivy look/)
  await ivy.shows(/^lobby · (?!.*(yard|loft))vault 1! \(Alt-A\) · /m)
})

test('a followed room keeps its unread count when it is renamed', async () => {
  await stage.as('rhea', ['create', 'barn'])
  await using joe = await atTerminal('joe', 'join', 'barn')
  await joe.shows(STATUS('barn'))
  joe.type('/join lobby')
  await joe.shows(STATUS('lobby'))
  await stage.as('rhea', ['say', 'barn', 'one'])
  await joe.shows(/^lobby · barn 1 · /m)
  expect(await stage.as('rhea', ['rename-room', 'barn', 'shed'])).toMatchObject({ exitCode: 0 })
  await stage.as('rhea', ['say', 'shed', '@joe two'])
  await joe.shows(/\[shed\] rhea: @joe two/)
  await joe.shows(/^lobby · shed 2! \(Alt-A\) · /m)
  joe.type('/next')
  await joe.shows(STATUS('shed'))
})

test('a person who joined by a script is told of mentions, now and at the next login', async () => {
  await stage.as('lea', ['whoami'])
  await stage.as('rhea', ['say', 'den', '@lea too early'])
  {
    await using lea = await atTerminal('lea')
    await lea.shows(STATUS('lobby'))
    expect((await stage.as('lea', ['join', 'den'])).stdout).toBe('you are a member of den now\n')
    await stage.as('rhea', ['say', 'den', '@lea look'])
    await lea.shows(/\[den\] rhea: @lea look/)
    await lea.shows(/^lobby · den 1! \(Alt-A\) · /m)
    await lea.quit()
  }
  await stage.as('rhea', ['say', 'den', 'and more'])
  await using again = await atTerminal('lea')
  await again.shows(/^lobby · den 2! \(Alt-A\) · /m)
})

test('a person who only joined rooms by scripts begins in the lobby', async () => {
  await stage.as('max', ['join', 'den'])
  await using max = await atTerminal('max')
  await max.shows(STATUS('lobby'))
})

test('a person who used /join is a member for commands over SSH too, until /leave or leave', async () => {
  await using ned = await atTerminal('ned')
  await ned.shows(STATUS('lobby'))
  for (const room of ['den', 'ops', 'lobby']) {
    ned.type(`/join ${room}`)
    await ned.shows(STATUS(room))
  }
  const member = { exitCode: 0, stdout: 'you are a member of den already\n' }
  expect(await stage.as('ned', ['join', 'den'])).toMatchObject(member)
  const left = { exitCode: 0, stdout: 'you are no member of den any more\n' }
  expect(await stage.as('ned', ['leave', 'den'])).toMatchObject(left)
  ned.type('/join ops')
  await ned.shows(/ops · \d+ here(?![^]*lobby · \d+ here)/)
  ned.type('/leave')
  await ned.shows(/lobby · \d+ here(?![^]*ops · \d+ here)/)
  expect(await stage.as('ned', ['leave', 'ops'])).toMatchObject({ exitCode: 1 })
  for (const room of ['den', 'ops']) await stage.as('rhea', ['say', room, '@ned hello'])
  for (const room of await roomsOf('ned')) expect(room).not.toHaveProperty('new')
})

test('/next is rejected in a script', async () => {
  expect(await stage.as('bob', ['next'])).toMatchObject({
    exitCode: 1,
    stderr: 'a script is in no room; rooms says where something is new\n',
  })
})

test("a login enters the person's last room after the server was killed", async () => {
  await stage.goOnWith(startServer)
  await using gus = await atTerminal('gus', 'join', 'den')
  await gus.shows(STATUS('den'))
  gus.type('/join ops')
  await gus.shows(STATUS('ops'))
  await stage.as('rhea', ['say', 'ops', 'still here'])
  await gus.shows(/rhea: still here/)
  await stage.restart('SIGKILL')
  await using again = await atTerminal('gus')
  await again.shows(STATUS('ops'))
})
