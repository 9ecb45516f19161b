import { expect, test } from 'vitest'
import { Preferences } from '../../../src/chat/personal/preferences.ts'
import { createClientHandler } from '../../../src/visits/session-host.ts'
import { createGreeting } from '../../../src/visits/greeting.ts'
import { createRecentEntries } from '../../../src/visits/recent-entries.ts'
import { createRoomBoards } from '../../../src/visits/board.ts'
import { createDoor } from '../../../src/visits/door.ts'
import { InputHistory } from '../../../src/chat/personal/input-history.ts'
import { createLocalPeers } from '../../../src/chat/local-peers.ts'
import { Clients } from '../../../src/chat/moderation/clients.ts'
import type { Runner } from '../../../src/commands/runner.ts'
import { newAccount, sharedBySessions } from '../../support/shared-by-sessions.ts'
import { createPeopleParts } from '../../support/people.ts'
import { followedIn } from '../../support/followed.ts'
import { createChatParts, invitationsIn, type ChatParts } from '../../support/chat-parts.ts'
import { talkOver } from '../../support/talk.ts'
import { createFakeTerminal } from '../../support/terminal.ts'
import type { Caller, SessionCaller } from '../../../src/commands/command.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel } from '../../support/turn-world.ts'
import { createSessionStage } from '../../support/whole-sessions.ts'

/** A question that only this person may answer. */
async function askFor(name: string, { session, person }: SessionCaller) {
  const facts = { kind: 'approval', tool: 'touch', requester: person.name, author: person.name } as const
  await session.room.record({
    ...facts,
    verdict: 'asked',
    question: 1,
    answerers: [name],
    text: `may ${name}?`,
  })
  return 0 as const
}

/** `go NAME` moves, `quit` leaves; speech is recorded, unless it is `no`. Everything else is refused. */
const runnerOf = ({ rooms }: ChatParts): Pick<Runner, 'command' | 'speech' | 'showsWords'> => {
  const refuse = ({ out }: Caller) => {
    out.warn('you may not')
    return 1 as const
  }
  return {
    showsWords: () => false,
    async command(line, caller) {
      const [verb, name = ''] = line.split(' ')
      if (verb === 'quit') caller.session?.quit()
      else if (verb === 'go') await caller.session?.moveTo(await rooms.get(name, caller.person))
      else return refuse(caller)
      return 0
    },
    async speech(text, caller) {
      if (text === 'no') return refuse(caller)
      if (text.startsWith('ask ')) return await askFor(text.slice(4), caller)
      await caller.session.room.record({ kind: 'message', author: caller.person.name, text })
      return 0
    },
  }
}

/** Who else is there, and what to type. */
const GREETING =
  '-- nobody else is here now\n-- type to speak; @guide shows you around; /help lists the commands; nobody is admin yet: /claim CODE\n'

async function startHost() {
  const chatParts = await createChatParts()
  const { rooms, sanctions } = chatParts
  const { people } = createPeopleParts(chatParts)
  const typedIn: string[] = []
  const shared = sharedBySessions()
  const talk = await talkOver(chatParts)
  const preferences = await Preferences.load(chatParts.storage.chat.preferences, chatParts.log)
  const handler = createClientHandler({
    door: createDoor(people, sanctions, new Clients(createLocalPeers()), talk.ignores, () => 1),
    rooms,
    views: {
      listening: async () => '',
      pins: async () => [],
      boards: createRoomBoards(
        {
          choices: async () => ({ models: [], scope: 'all', tools: 1 }),
          running: () => [],
          questions: () => [],
          lastTurn: async () => undefined,
          routines: async () => ({ listeners: [], nextOf: new Map() }),
          onRoutines: () => () => undefined,
        },
        shared.now,
        { tools: shared.markdown.tools, wallNow: shared.wallNow },
      ),
      recent: createRecentEntries(),
      ...followedIn(chatParts, talk),
    },
    runner: runnerOf(chatParts),
    complete: async () => [],
    summaryOf: () => undefined,
    history: new InputHistory(chatParts.storage.talk.typed, chatParts.clock, chatParts.log),
    serveMcp: async () => undefined,
    files: async () => 1,
    stop: async () => undefined,
    onTyped: (room) => void typedIn.push(room),
    warmComposer: () => undefined,
    openTalk: talk.openSession,
    invitations: invitationsIn(chatParts),
    join: async (name, who, goIn) => goIn(await rooms.get(name, who)),
    greeting: createGreeting({ models: () => [], isClaimable: () => true, troubles: () => [] }),
    shared,
    preferences,
    motd: () => 'be kind',
    stdin: () => ({ bytes: 10, stallMs: 50 }),
  })
  return { ...chatParts, talk, handler, typedIn }
}

test('a refused line from a pipe is reported, and the lines after it are run', async () => {
  const { handler, person } = await startHost()
  const terminal = createFakeTerminal({ term: '' })
  terminal.type('/no\n/\nno\n//no\nyes\n')
  terminal.hangUp()
  await handler.shell(await person('alice'), terminal, newAccount())
  expect(terminal.written().split('-- alice joined\n')[1]).toBe(
    ['! you may not', '! you may not', '! you may not', 'alice: /no', 'alice: yes', ''].join('\n'),
  )
})

test('a session begins in the lobby, moves to other rooms and leaves its room when it ends', async () => {
  const { handler, person, rooms } = await startHost()
  const alice = await person('alice')
  const attic = await rooms.create('attic', alice, { private: false })
  const terminal = createFakeTerminal({ term: '' })
  terminal.type('/go attic\nup here\n/go attic\n/quit\nunread\n')
  await handler.shell(alice, terminal, newAccount())
  expect(terminal.written()).toBe(
    `be kind\n-- lobby\n${GREETING}-- alice joined\n-- attic\n-- nobody else is here now\nalice: up here\nbye\n`,
  )
  const lobby = await rooms.lobby()
  expect([lobby.present(), attic.present()]).toEqual([[], []])
  const texts = async (room: typeof lobby) => (await room.history({ limit: 9 })).map(({ text }) => text)
  expect(await texts(lobby)).toEqual(['alice joined', 'alice left'])
  expect(await texts(attic)).toEqual(['alice joined', 'up here', 'alice left'])
})

test('a session that returns to a room shows only lines that it has not shown', async () => {
  const { handler, person, rooms } = await startHost()
  const alice = await person('alice')
  await rooms.create('attic', alice, { private: false })
  await (await rooms.lobby()).record({ kind: 'message', author: 'bob', text: 'long ago' })
  const terminal = createFakeTerminal({ term: '' })
  terminal.type('hello\n/go attic\n/go lobby\n/go attic\n/quit\n')
  await handler.shell(alice, terminal, newAccount())
  const written = terminal.written()
  expect(written.match(/bob: long ago|alice: hello/g)).toEqual(['bob: long ago', 'alice: hello'])
  expect(written.match(/-- (lobby|attic)\n/g)).toHaveLength(4)
})

test("a line typed at a terminal counts as a person's presence, and a piped line does not", async () => {
  const { handler, person, typedIn } = await startHost()
  const alice = await person('alice')
  const pipe = createFakeTerminal({ term: '' })
  pipe.type('piped\n/quit\n')
  await handler.shell(alice, pipe, newAccount())
  expect(typedIn).toEqual([])
  const terminal = createFakeTerminal({ size: { columns: 80, rows: 24 } })
  terminal.type('typed\r')
  terminal.hangUp()
  await handler.shell(alice, terminal, newAccount())
  expect(typedIn).toEqual(['lobby'])
})

test('a permission question rings the bell only for people who may answer it', async () => {
  const { handler, person } = await startHost()
  const rings = async (asked: string): Promise<number> => {
    const terminal = createFakeTerminal({ size: { columns: 80, rows: 24 } })
    terminal.type(`ask ${asked}\r/quit\r`)
    await handler.shell(await person('alice'), terminal, newAccount())
    return terminal.written().split('\u0007').length - 1
  }
  expect(await rings('alice')).toBe(1)
  expect(await rings('bob')).toBe(0)
})

test('a session shows a stored message once, and hides lines of ignored people', async () => {
  const { handler, talk, person, rooms } = await startHost()
  const [alice, bob] = await Promise.all([person('alice'), person('bob')])
  await talk.ignores.add(alice, bob)
  const lobby = await rooms.lobby()
  await lobby.record({ kind: 'message', author: 'bob', text: 'you cannot hear me' })
  await talk.messages.send(await person('carol'), 'alice', 'psst')
  await talk.messages.send(bob, 'alice', 'and me?')
  const session = async (): Promise<string> => {
    const terminal = createFakeTerminal({ term: '' })
    terminal.type('hello\n/quit\n')
    await handler.shell(alice, terminal, newAccount())
    return terminal.written()
  }
  const first = await session()
  expect(first).toContain('carol -> you (2026-01-01 00:00 UTC): psst\n')
  expect(first).not.toMatch(/hear me|and me/)
  await talk.ignores.remove(alice, bob.id)
  const second = await session()
  expect(second).toContain('bob: you cannot hear me\n')
  expect(second).not.toMatch(/psst|and me/)
})

const ANSWERS = 8

test('a model that answers at once is never announced as thinking after its answer', async () => {
  const gpt = scriptedModel(...Array.from({ length: ANSWERS }, (_, index) => say(`answer ${index}`)))
  await using stage = await createSessionStage({ more: [{ ...anotherModel('gpt'), adapter: gpt }] })
  const ann = await stage.world.turnWorld.chatParts.person('ann')
  await using session = stage.open(ann, { columns: 80, rows: 24 }, { term: 'dumb' })
  await session.seen(/ann joined/)
  for (let index = 0; index < ANSWERS; index++) {
    session.enter(`@gpt question ${index}`)
    await session.seen(new RegExp(`answer ${index}\\b.*finished`))
  }
  session.enter('that is all')
  await session.seen(/that is all/)
  const heard = session.terminal.written().split('\r\n')
  const thoughts = heard.flatMap((line, at) => (line.startsWith('-- gpt is thinking') ? [at] : []))
  for (const at of thoughts) expect(heard[at + 1]).toMatch(/^gpt: answer/)
})
