import { expect, test, vi } from 'vitest'
import { personCalled } from '../../support/ssh-server.ts'
import { createFakeRoom, status, work, type FakeHost } from '../../support/session-host.ts'
import { newAccount, sharedBySessions } from '../../support/shared-by-sessions.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { WITHOUT_TIMES } from '../../support/personal.ts'
import { createEmulator, createFakeTerminal, type FakeTerminal } from '../../support/terminal.ts'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { Refusal } from '../../../src/words/errors.ts'
import type { Option, PersonalOptions } from '../../../src/chat/personal/options.ts'
import type { TurnId } from '../../../src/words/entry.ts'
import { runSession } from '../../../src/terminal/session.ts'

const size = { columns: 40, rows: 10 }

function start(
  terminal: FakeTerminal,
  room = createFakeRoom(),
  change: Partial<FakeHost> = {},
  preferences: Parameters<typeof runSession>[0]['preferences'] = WITHOUT_TIMES,
  shared?: Parameters<typeof runSession>[0]['shared'],
) {
  const host = { ...room.host(), ...change }
  const log = memoryLog()
  const done = runSession({
    account: newAccount(),
    terminal,
    person: personCalled('alice'),
    host,
    shared: shared ?? sharedBySessions(log),
    preferences,
  })
  return { room, host, log, done }
}

async function see(terminal: FakeTerminal, at = terminal.size()!) {
  const emulator = createEmulator(at.columns, at.rows)
  await emulator.write(terminal.written())
  return emulator
}

/** Waits until a person sees the text: the bytes that make it need not stand together. */
async function untilSeen(terminal: FakeTerminal, text: string): Promise<void> {
  for (;;) {
    const written = new Promise<void>((resolve) => {
      const stop = terminal.listen(() => {
        stop()
        resolve()
      })
    })
    if ((await see(terminal)).all().join('\n').includes(text)) return
    await written
  }
}

test('a typed and corrected line is sent with Enter and shown above the prompt', async () => {
  const terminal = createFakeTerminal({ size })
  const { host, done } = start(terminal)
  terminal.type('hellp\x7fo\r')
  await terminal.waitFor('hello')
  terminal.type('dra')
  await terminal.waitFor('dra')
  const emulator = await see(terminal)
  expect(host.lines).toEqual(['hello'])
  const screen = emulator.screen()
  expect(screen.slice(0, 2)).toEqual(['welcome', 'alice: hello'])
  expect(screen.at(-2)).toContain('lobby · 2 here · @guide')
  expect(screen.at(-1)).toBe('> dra')
  expect(emulator.cursor()).toEqual({ row: 3, column: 5 })
  terminal.type('\x03\x04')
  await done
  expect(terminal.exitStatus()).toBe(0)
  expect(host.isDetached()).toBe(true)
})

test('messages of other people are shown above the draft, which stays unchanged', async () => {
  const terminal = createFakeTerminal({ size })
  const { room, done } = start(terminal)
  terminal.type('half a thou\x1b[D')
  await terminal.waitFor('thou')
  for (let i = 0; i < 30; i++)
    room.deliver({ kind: 'message', author: 'bob', text: `message ${i} that is long enough to wrap` })
  await terminal.waitFor('message 29')
  const emulator = await see(terminal)
  expect(emulator.screen().at(-1)).toBe('> half a thou')
  expect(emulator.cursor().column).toBe('> half a tho'.length)
  const all = emulator.all()
  expect(all.filter((row) => /^(bob: |· )message/.test(row))).toHaveLength(30)
  expect(all.filter((row) => row.startsWith('> '))).toHaveLength(1)
  terminal.hangUp()
  await done
})

test('a further line of a speaker begins with a dot, or with the name if it mentions the reader', async () => {
  const terminal = createFakeTerminal({ size })
  const { room, done } = start(terminal)
  await terminal.waitFor('welcome')
  for (const text of ['one', 'two', 'alice: three', 'four'])
    room.deliver({ kind: 'message', author: 'bob', text })
  await terminal.waitFor('four')
  const rows = (await see(terminal)).all()
  expect(rows.slice(1, 5)).toEqual(['bob: one', '· two', 'bob: alice: three', '· four'])
  terminal.hangUp()
  await done
})

test('a draft of several rows leaves no trace on the screen after it is cleared', async () => {
  const terminal = createFakeTerminal({ size })
  const { room, done } = start(terminal)
  terminal.type('word '.repeat(30))
  await terminal.waitFor('word')
  terminal.type('\x1b[200~a\r\nb\x1b[201~')
  await terminal.waitFor('b')
  room.deliver({ kind: 'message', author: 'bob', text: 'in between' })
  await terminal.waitFor('in between')
  const before = terminal.written().length
  terminal.type('\x03')
  await terminal.waitFor('\r\n> \u001b', before)
  room.deliver({ kind: 'message', author: 'bob', text: 'after' })
  await terminal.waitFor('after')
  const all = (await see(terminal)).all()
  expect(all).toEqual(['welcome', 'bob: in between', '· after', expect.stringContaining('lobby'), '>'])
  terminal.hangUp()
  await done
})

test('a bracketed paste of several lines is one message', async () => {
  const terminal = createFakeTerminal({ size })
  const { host, done } = start(terminal)
  terminal.type('\x1b[200~one\ntwo\nthree\x1b[201~\r')
  await terminal.waitFor('three')
  terminal.type('\x04')
  await done
  expect(host.lines).toEqual(['one\ntwo\nthree'])
})

test('a paste without an end marker ends after one second of silence', async () => {
  const terminal = createFakeTerminal({ size })
  let now = 0
  const shared = { ...sharedBySessions(), now: () => now }
  const { host, done } = start(terminal, createFakeRoom(), {}, WITHOUT_TIMES, shared)
  terminal.type('\x1b[200~one\n')
  await untilSeen(terminal, 'one')
  now = 1_000
  terminal.type('two\r\x04')
  await done
  expect(host.lines).toEqual(['one\ntwo'])
})

test('a session turns mouse reports, focus reports and keyboard protocols off and never on', async () => {
  const terminal = createFakeTerminal({ size })
  const { done } = start(terminal)
  terminal.type('hello\r\x0c\x04')
  await done
  expect(terminal.written()).toMatch(
    /^\x1b\[\?9;1000;1001;1002;1003;1004;1005;1006;1015;1016;9001l\x1b7\x1b\[>4m\x1b\[=0u\x1b8/,
  )
  expect(terminal.written()).not.toMatch(/\x1b\[[?>=][\d;]*10\d\dh|\x1b\[>4;|\x1b\[>[\d;]+u|\x1b\[=[1-9]/)
})

test('a streaming reply is drawn below and replaced by the recorded reply above', async () => {
  const terminal = createFakeTerminal({ size })
  const { room, done } = start(terminal)
  const turn = 't1' as TurnId
  await terminal.waitFor('welcome')
  room.stream({ turn, model: 'guide', text: 'so far \x1b[2J' })
  await terminal.waitFor('so far')
  expect((await see(terminal)).screen()).toContain('guide: so far')
  room.deliver({ kind: 'reply', author: 'guide', turn, outcome: 'done', text: 'so far and no further' })
  await terminal.waitFor('no further')
  const all = (await see(terminal)).all()
  expect(all.filter((row) => row.startsWith('guide:'))).toEqual(['guide: so far and no further'])
  terminal.hangUp()
  await done
})

test('a narrowed window shows one prompt and one status line', async () => {
  const terminal = createFakeTerminal({ size: { columns: 60, rows: 10 } })
  // The client answers at once: what was written while an answer is due is written again.
  const shared = { ...sharedBySessions(), now: () => 0 }
  const { room, done } = start(terminal, createFakeRoom(), {}, WITHOUT_TIMES, shared)
  terminal.type('a draft of some forty characters, about so')
  await terminal.waitFor('about so')
  const emulator = createEmulator(60, 10)
  await emulator.write(terminal.written())
  const before = terminal.written().length
  emulator.resize(30, 10)
  terminal.resize(30, 10)
  room.deliver({ kind: 'message', author: 'bob', text: 'hi' })
  await terminal.waitFor('hi', before)
  await emulator.write(terminal.written().slice(before))
  const all = emulator.all()
  expect(all.filter((row) => row.startsWith('> '))).toHaveLength(1)
  expect(all.filter((row) => row.includes('lobby ·'))).toHaveLength(1)
  terminal.hangUp()
  await done
})

test('Tab completes an unambiguous word and lists the choices for an ambiguous one', async () => {
  const terminal = createFakeTerminal({ size })
  const { host, done } = start(terminal)
  terminal.type('/he\t')
  await untilSeen(terminal, '> /help')
  terminal.type('\x03/h\t')
  await untilSeen(terminal, '/help  /history')
  terminal.type('is\t')
  await untilSeen(terminal, '> /history')
  terminal.type('\r\x04')
  await done
  expect(host.lines).toEqual(['/history '])
})

test.each([
  ['a screen', {}, '/help     list the commands'],
  ['plain mode', { SSHAWL_PLAIN: '1' }, '/help  /history'],
])('Tab after a slash in %s lists the commands in the form of that mode: %j %s', async (_mode, env, row) => {
  const terminal = createFakeTerminal({ size: { columns: 60, rows: 10 }, env })
  const summaryOf = (choice: string) => (choice === '/help' ? 'list the commands' : undefined)
  const { done } = start(terminal, createFakeRoom(), { summaryOf })
  terminal.type('/h\t')
  await untilSeen(terminal, row)
  terminal.type('\x03\x04')
  await done
})

test('^X stops the running work, and the status line names the key', async () => {
  const room = createFakeRoom(() => ({ ...status, models: [], running: [work('@qwen', 'thinking')] }))
  const terminal = createFakeTerminal({ size: { columns: 100, rows: 10 } })
  const { host, done } = start(terminal, room)
  await terminal.waitFor('^X to stop')
  terminal.type('\x18\x04')
  await done
  expect(host.isStopped()).toBe(true)
})

test('a session ends if its host fails to attach the person, and leaves the terminal open', async () => {
  const terminal = createFakeTerminal({ size })
  const attach = () => Promise.reject(new TypeError('a bug'))
  const { host, done } = start(terminal, createFakeRoom(), { attach })
  await expect(done).rejects.toThrow('a bug')
  expect([terminal.exitStatus(), host.isDetached()]).toEqual([undefined, true])
})

test('a key or line whose handler throws gives a notice, but the draft is kept', async () => {
  const terminal = createFakeTerminal({ size })
  const { host, log, done } = start(terminal, createFakeRoom(), {
    stop: () => Promise.reject(new Refusal('nothing that you could stop is running in lobby')),
    complete() {
      throw new RangeError('a bug in completion')
    },
  })
  terminal.type('draft\x18')
  await untilSeen(terminal, '! nothing that you could stop is')
  expect(log.lines).toEqual([])
  terminal.type('\t')
  await untilSeen(terminal, '! something went wrong on the server')
  expect((await see(terminal)).screen().at(-1)).toBe('> draft')
  const before = terminal.written().length
  terminal.type('\x15/crash\r')
  await terminal.waitFor('! something went wrong', before)
  terminal.type('still here\r')
  await untilSeen(terminal, 'alice: still here')
  terminal.type('\x04')
  await done
  expect(host.lines).toEqual(['/crash', 'still here'])
  expect(log.lines).toHaveLength(2)
  expect(terminal.exitStatus()).toBe(0)
})

test('a repeated error is logged once, and repeated Tab or ^X reaches the host only a few times', async () => {
  const terminal = createFakeTerminal({ size })
  let [completions, stops] = [0, 0]
  const { log, done } = start(terminal, createFakeRoom(), {
    complete() {
      completions++
      throw new Error('no words')
    },
    stop: async () => void stops++,
  })
  terminal.type('/run \t'.repeat(2_000))
  terminal.type('\x18'.repeat(2_000))
  terminal.type('\x03\x04')
  await done
  expect(log.lines).toEqual(['something in a session failed'])
  // Four at once, and four a second after that: a minute of them would be a stall.
  expect([completions < 240, stops < 240]).toEqual([true, true])
})

test.each([
  ['keys', { size }, '\x1bb\x1bf'.repeat(20_000)],
  ['lines', { term: '' }, '/help\n'.repeat(20_000)],
])('a session is answered while another one works through a flood of %s', async (_, options, flood) => {
  const shared = sharedBySessions()
  const [hostile, honest] = [createFakeTerminal(options), createFakeTerminal({ size })]
  const open = (terminal: FakeTerminal, name: string) =>
    runSession({
      terminal,
      person: personCalled(name),
      host: createFakeRoom().host(),
      shared,
      preferences: WITHOUT_TIMES,
      account: newAccount(),
    })
  let isThrough = false
  const flooding = open(hostile, 'mallory').then(() => (isThrough = true))
  const talking = open(honest, 'alice')
  hostile.type(`\x1b[200~${'é'.repeat(30_000)}\x1b[201~${flood}`)
  hostile.hangUp()
  for (const line of ['one', 'two', 'three']) {
    honest.type(`${line}\r`)
    await untilSeen(honest, line === 'one' ? 'alice: one' : `· ${line}`)
  }
  expect(isThrough).toBe(false)
  honest.type('\x04')
  await talking
  hostile.vanish()
  await flooding
})

test.each([
  ['typed', { size }, '/clear\r'.repeat(5_000) + '\x04'],
  ['piped', { term: '' }, '/clear\n'.repeat(5_000)],
])(
  'a series of 5,000 %s commands runs at most two in a round of the event loop',
  async (_, options, input) => {
    const terminal = createFakeTerminal(options)
    let [count, inThisRound, mostInARound] = [0, 0, 0]
    const { done } = start(terminal, createFakeRoom(), {
      async submit() {
        count++
        mostInARound = Math.max(mostInARound, ++inThisRound)
      },
    })
    let isOver = false
    const nextRound = (): void => {
      inThisRound = 0
      if (!isOver) setImmediate(nextRound)
    }
    nextRound()
    terminal.type(input)
    terminal.hangUp()
    await done
    isOver = true
    expect(count).toBe(5_000)
    // The rounds of the test may begin before or after those of the scheduler.
    expect(mostInARound).toBeLessThanOrEqual(2)
  },
)

test('pastes over the draft limit are reported only once', async () => {
  const terminal = createFakeTerminal({ size })
  const { done } = start(terminal)
  for (let i = 0; i < 100; i++) terminal.type(`\x1b[200~${'x'.repeat(1_000)}\x1b[201~`)
  terminal.type('\x03\x04')
  await done
  expect(terminal.written().match(/a draft has at most 65536/g)).toHaveLength(1)
})

test('messages skipped for a slow terminal are counted, and later ones are shown', async () => {
  const terminal = createFakeTerminal({ size })
  const { room, done } = start(terminal)
  await terminal.waitFor('>')
  terminal.setFull(true)
  for (let i = 0; i < 3; i++) room.deliver({ kind: 'message', author: 'bob', text: `lost ${i}` })
  await terminal.refused()
  room.deliver({ kind: 'message', author: 'bob', text: 'lost 3' })
  terminal.setFull(false)
  room.deliver({ kind: 'message', author: 'bob', text: 'seen' })
  await terminal.waitFor('seen')
  const all = (await see(terminal)).all()
  expect(all).toEqual(['welcome', '[4 messages skipped]', 'bob: seen', expect.stringContaining('lobby'), '>'])
  terminal.hangUp()
  await done
})

test('a session without a pty writes plain lines, and each line feed ends a message', async () => {
  const terminal = createFakeTerminal({ term: '' })
  const { host, done } = start(terminal)
  terminal.type('a\nb\r\n\n  \nlast \u00e9')
  terminal.hangUp()
  await done
  expect(host.lines).toEqual(['a', 'b', 'last é'])
  expect(terminal.written()).toBe('welcome\nalice: a\nalice: b\nalice: last é\n')
  expect(terminal.exitStatus()).toBe(0)
})

test('a pipe that ends before its answer prints which command waits for an answer', async () => {
  const written = async (requester: string): Promise<string> => {
    const terminal = createFakeTerminal({ term: '' })
    const running = [work('@qwen', 'thinking', '3.2s', requester)]
    const { done } = start(
      terminal,
      createFakeRoom(() => ({ ...status, running })),
    )
    terminal.type('@qwen hi\n')
    terminal.hangUp()
    await done
    return terminal.written()
  }
  expect(await written('alice')).toContain('ssh HOST ask ROOM @qwen TEXT waits for an answer')
  expect(await written('bob')).not.toContain('ssh HOST')
})

test('a piped line over the limit is refused once, and the next line is sent', async () => {
  const terminal = createFakeTerminal({ term: '' })
  const { host, done } = start(terminal)
  for (let i = 0; i < 100; i++) terminal.type('x'.repeat(10_000))
  terminal.type('\nshort\n')
  terminal.hangUp()
  await done
  expect(host.lines).toEqual(['short'])
  expect(terminal.written().match(/at most 65536/g)).toHaveLength(1)
})

test.each([{ term: '' }, { size }])('lines after /quit are not sent (%j)', async (options) => {
  const terminal = createFakeTerminal(options)
  const { host, done } = start(terminal)
  terminal.type('/quit\nmore\n')
  await done
  expect(host.lines).toEqual(['/quit'])
  expect(terminal.written()).toContain('bye')
  expect(terminal.exitStatus()).toBe(0)
})

test('a dumb terminal gets appended text without any escape sequence', async () => {
  const terminal = createFakeTerminal({ size, term: 'dumb' })
  const { room, done } = start(terminal)
  terminal.type('helo')
  await terminal.waitFor('helo')
  terminal.type('\x7f')
  await terminal.waitFor('\b')
  room.deliver({ kind: 'message', author: 'bob', text: 'hi\nthere \x1b[31m' })
  terminal.type('lo\r')
  await terminal.waitFor('hello\r\n')
  terminal.type('\x04')
  await done
  expect(terminal.written()).not.toContain('\x1b')
  expect(terminal.written()).toBe('welcome\r\nhelo\b \b\r\nbob: hi\r\n  there \r\nhello\r\n')
})

test('plain mode announces search results in words, and its errors begin with a word', async () => {
  const terminal = createFakeTerminal({ size, term: 'dumb' })
  const remembered = { lines: ['first line', 'another line', 'second'], draft: '' }
  const { host, done } = start(terminal, createFakeRoom(), {
    savedInput: () => Promise.resolve(remembered),
    stop: () => Promise.reject(new Refusal('nothing that you could stop is running')),
  })
  await terminal.waitFor('welcome')
  terminal.type('half \x12')
  await terminal.waitFor('gives up')
  terminal.type('line\x12')
  await terminal.waitFor('-- found: another line')
  terminal.type('\x12')
  await terminal.waitFor('-- found: first line')
  terminal.type('\x12')
  await terminal.waitFor('-- no other line has "line"; it is still: first line')
  terminal.type('\x13zz')
  await terminal.waitFor('-- no line has "linezz"; Enter would send: another line')
  terminal.type('\x7f\x7f\x05!')
  await terminal.waitFor('another line!')
  terminal.type('\x18')
  await terminal.waitFor('error: nothing that you could stop is running')
  terminal.type('\r\x04')
  await done
  expect(host.lines).toEqual(['another line!'])
  expect(terminal.written()).not.toMatch(/search "|\u001b|! nothing/)
})

test('earlier lines cannot be recalled in an open session after history is set to off', async () => {
  const terminal = createFakeTerminal({ size })
  const listeners: ((changed: Option) => void)[] = []
  let options: PersonalOptions = { timestamps: 'off' }
  const preferences = {
    now: () => options,
    onChange: (listener: (changed: Option) => void) => void listeners.push(listener),
  }
  const room = createFakeRoom()
  const { done } = start(
    terminal,
    room,
    { savedInput: () => Promise.resolve({ lines: ['a line of yesterday'], draft: '' }) },
    preferences,
  )
  terminal.type('\x1b[A')
  await untilSeen(terminal, '> a line of yesterday')
  terminal.type('\x1b[B')
  options = { ...options, history: 'off' }
  for (const listener of listeners) listener('history')
  terminal.type('\x1b[A\x12yesterday')
  await untilSeen(terminal, 'no line has "yesterday"')
  terminal.type('\x07\x15said after it\r')
  await untilSeen(terminal, 'alice: said after it')
  terminal.type('\x1b[A')
  await untilSeen(terminal, '> said after it')
  terminal.type('\x03\x04')
  await done
})

test('SSHAWL_PLAIN=1 keeps escape sequences away from a capable terminal', async () => {
  const terminal = createFakeTerminal({ size, env: { SSHAWL_PLAIN: '1' } })
  const { done } = start(terminal)
  terminal.type('x\r\x04')
  await done
  expect(terminal.written()).not.toContain('\x1b')
})

test('a session in a tiny window still sends its lines', async () => {
  for (const tiny of [
    { columns: 1, rows: 1 },
    { columns: 3, rows: 2 },
  ]) {
    const terminal = createFakeTerminal({ size: tiny })
    const { host, done } = start(terminal)
    terminal.type('日本語 hello\r\x04')
    await done
    expect(host.lines).toEqual(['日本語 hello'])
  }
})

test.each([{}, { size }])('queued lines are not run after the connection breaks (%j)', async (options) => {
  const terminal = createFakeTerminal(options)
  const { room, host, done } = start(terminal)
  room.listen(() => terminal.vanish())
  terminal.type(terminal.size() ? 'one\rtwo\rthree\r' : 'one\ntwo\nthree\n')
  await done
  expect(host.lines).toEqual(['one'])
  expect(host.isDetached()).toBe(true)
})

test('a person who leaves is disconnected at once, even if storing takes long', async () => {
  const terminal = createFakeTerminal({ size })
  const stored = createDeferred<void>()
  const { done } = start(terminal, createFakeRoom(), { detach: () => stored.promise })
  let isDone = false
  void done.then(() => (isDone = true))
  terminal.type('\x04')
  await vi.waitFor(() => expect(terminal.exitStatus()).toBe(0), { timeout: 5_000 })
  expect(isDone).toBe(false)
  stored.resolve()
  await done
})
