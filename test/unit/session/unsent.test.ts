import { expect, test } from 'vitest'
import { createDeferred } from '../../../src/lib/deferred.ts'
import type { Screen, Unsent } from '../../../src/session/ports.ts'
import { runSession } from '../../../src/session/session.ts'
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
  const left = createDeferred<Unsent>()
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
      async detach(_screen, unsent) {
        left.resolve(unsent)
      },
    },
    shared: sharedBySessions(),
    preferences: WITHOUT_TIMES,
  })
  return {
    terminal,
    host,
    putOut(): void {
      const [screen] = room.screens as Set<Screen>
      screen?.putAside()
    },
    async breaks(): Promise<Unsent> {
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

test('a draft is kept that an older line hides, and that one only if it was changed', async () => {
  const { terminal, host, breaks } = start()
  terminal.type('said\r')
  await expect.poll(() => host.lines).toEqual(['said'])
  terminal.type(`a long draft${UP}`)
  await shows(terminal, '> said')
  expect(await breaks()).toEqual({ lines: [], draft: 'a long draft' })
})

test('of a draft and a changed older line both are kept', async () => {
  const { terminal, host, breaks } = start()
  terminal.type('said\r')
  await expect.poll(() => host.lines).toEqual(['said'])
  terminal.type(`a long draft${UP} anew`)
  await shows(terminal, '> said anew')
  expect(await breaks()).toEqual({ lines: ['a long draft'], draft: 'said anew' })
})

test('what was put aside is kept until it is sent', async () => {
  const { terminal, host, putOut, breaks } = start()
  terminal.type('one')
  await terminal.waitFor('one')
  putOut()
  terminal.type('two')
  await terminal.waitFor('two')
  putOut()
  terminal.type(`${UP}${UP}\r`)
  await terminal.waitFor('Enter again')
  terminal.type('\r')
  await expect.poll(() => host.lines).toEqual(['one'])
  expect(await breaks()).toEqual({ lines: ['two'], draft: '' })
})

test('lines that still wait are kept, and those that ^C dropped', async () => {
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
  expect(await left).toEqual({ lines: ['two', 'three'], draft: 'four' })
})
