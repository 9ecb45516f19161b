import { expect, test } from 'vitest'
import fc from 'fast-check'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import type { SavedInput } from '../../../src/terminal/ports.ts'
import { LineQueue, readLines } from '../../../src/terminal/input/line-queue.ts'
import { runSession } from '../../../src/terminal/session.ts'
import { WITHOUT_TIMES } from '../../support/personal.ts'
import { createFakeRoom } from '../../support/session-host.ts'
import { newAccount, sharedBySessions } from '../../support/shared-by-sessions.ts'
import { personCalled } from '../../support/ssh-server.ts'
import { createEmulator, createFakeTerminal, type FakeTerminal } from '../../support/terminal.ts'

const UP = '\u001b[A'

/** A session, and what it leaves behind when its connection breaks. */
function start(step: Promise<void> = Promise.resolve()) {
  const terminal = createFakeTerminal({ size: { columns: 80, rows: 24 } })
  const room = createFakeRoom()
  const host = room.host()
  const left = createDeferred<SavedInput>()
  const done = runSession({
    account: newAccount(),
    terminal,
    person: personCalled('alice'),
    host: {
      ...host,
      async submit(line) {
        await host.submit(line)
        await step
      },
      async detach(unsent) {
        left.resolve(unsent)
      },
    },
    shared: sharedBySessions(),
    preferences: WITHOUT_TIMES,
  })
  return {
    terminal,
    host,
    done,
    kick(): void {
      const [screen] = room.screens
      screen?.kicked()
    },
    async breaks(): Promise<SavedInput> {
      terminal.vanish()
      await done
      return await left.promise
    },
  }
}

/** Resolves once the lowest row is this one. */
async function shows(terminal: FakeTerminal, row: string): Promise<void> {
  const lowest = async (): Promise<string | undefined> => {
    const emulator = createEmulator(80, 24)
    await emulator.write(terminal.written())
    return emulator.screen().at(-1)
  }
  await expect.poll(lowest).toBe(row)
}

test('a broken connection saves the draft, not an unchanged history line in the prompt', async () => {
  const { terminal, host, breaks } = start()
  terminal.type('said\r')
  await expect.poll(() => host.lines).toEqual(['said'])
  terminal.type(`a long draft${UP}`)
  await shows(terminal, '> said')
  expect(await breaks()).toEqual({ lines: [], draft: 'a long draft' })
})

test('a broken connection saves both the draft and an edited history line', async () => {
  const { terminal, host, breaks } = start()
  terminal.type('said\r')
  await expect.poll(() => host.lines).toEqual(['said'])
  terminal.type(`a long draft${UP} anew`)
  await shows(terminal, '> said anew')
  expect(await breaks()).toEqual({ lines: ['a long draft'], draft: 'said anew' })
})

test('a broken connection saves queued lines except those that ^C dropped', async () => {
  const going = createDeferred<void>()
  const { terminal, host, breaks } = start(going.promise)
  terminal.type('one\rtwo\r')
  await expect.poll(() => host.lines).toEqual(['one'])
  terminal.type('\u0003')
  await terminal.waitFor('dropped')
  terminal.type('three\rfour')
  await shows(terminal, '> four')
  const left = breaks()
  going.resolve()
  expect(await left).toEqual({ lines: ['three'], draft: 'four' })
})

test('^C drops the queued lines of a paste and says how many', async () => {
  const first = createDeferred<void>()
  const { terminal, host, done } = start(first.promise)
  terminal.type('/who\r'.repeat(300))
  await expect.poll(() => host.lines).toEqual(['/who'])
  terminal.type('half a line\u0003\u0003')
  await terminal.waitFor('299 lines that waited are dropped')
  terminal.type('after it\r\u0004')
  first.resolve()
  await done
  expect(host.lines).toEqual(['/who', 'after it'])
})

test('a kick drops queued lines, which the up key recalls, and keeps the draft', async () => {
  const first = createDeferred<void>()
  const { terminal, host, kick, done } = start(first.promise)
  terminal.type('one\rtwo\rthree\rhalf a')
  await shows(terminal, '> half a')
  kick()
  await terminal.waitFor('! 2 lines not sent: you were put out of the room')
  await shows(terminal, '> half a')
  first.resolve()
  terminal.type(` thought\r${UP}${UP}${UP}\r\u0004`)
  await done
  expect(host.lines).toEqual(['one', 'half a thought', 'two'])
})

test('a queued line that is dropped before the scheduler resumes is never run', async () => {
  const lines: string[] = []
  const resting = createDeferred<void>()
  const account = { ...newAccount(), rest: () => resting.promise }
  const queue = new LineQueue(
    account,
    async (line) => void lines.push(line),
    () => false,
  )
  queue.add('for the den')
  await Promise.resolve()
  expect(queue.drop()).toBe(1)
  queue.add('for the lobby')
  resting.resolve()
  await queue.allDone()
  expect(lines).toEqual(['for the lobby'])
})

async function read(chunks: readonly Uint8Array[], lineUnits = 100) {
  const lines: string[] = []
  let tooLong = 0
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk)
  }
  await readLines({
    input: input(),
    account: newAccount(),
    lineUnits,
    onLine: (line) => Promise.resolve(void lines.push(line)),
    onTooLong: () => void tooLong++,
  })
  return { lines, tooLong }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('piped lines do not depend on how the bytes are split into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.array(fc.nat(300)),
      async (texts, cuts) => {
        const all = bytes(texts.join('\n'))
        const at = [0, ...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length]
        const chunks = at.slice(1).map((end, i) => all.slice(at[i], end))
        const whole = texts
          .join('\n')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
        expect(await read(chunks, 1_000)).toEqual({
          lines: whole.filter((line) => line.trim() !== ''),
          tooLong: 0,
        })
      },
    ),
  )
})

test('a piped line at the limit is accepted, and one with a character more is rejected', async () => {
  const [fits, long] = ['x'.repeat(100), 'y'.repeat(101)]
  expect(await read([bytes(`${fits}\n${long}\n${fits}\r\n${long}\r\nend`)])).toEqual({
    lines: [fits, fits, 'end'],
    tooLong: 2,
  })
})

test('an input without text has no lines', async () => {
  expect(await read([])).toEqual({ lines: [], tooLong: 0 })
  expect(await read([bytes('\n\r\n \n')])).toEqual({ lines: [], tooLong: 0 })
})
