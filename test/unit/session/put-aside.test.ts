import { expect, test } from 'vitest'
import { personCalled } from '../../support/ssh-server.ts'
import { createFakeRoom } from '../../support/session-host.ts'
import { newAccount, sharedBySessions } from '../../support/shared-by-sessions.ts'
import { WITHOUT_TIMES } from '../../support/personal.ts'
import { createFakeTerminal } from '../../support/terminal.ts'
import type { Screen } from '../../../src/session/ports.ts'
import { runSession } from '../../../src/session/session.ts'

const UP = '\u001b[A'

/** A session whose host can put it out of its room. */
function start(terminal = createFakeTerminal({ size: { columns: 80, rows: 24 } })) {
  const room = createFakeRoom()
  const host = room.host()
  let times = 0
  const done = runSession({
    account: newAccount(),
    terminal,
    person: personCalled('alice'),
    host: { ...host, timesPutOut: () => times },
    shared: sharedBySessions(),
    preferences: WITHOUT_TIMES,
  })
  return {
    terminal,
    host,
    done,
    putOut(): void {
      times++
      const [screen] = room.screens as Set<Screen>
      screen?.putAside()
    },
  }
}

test('a line whose beginning was put aside is said with a second Enter only, which no paste can hold', async () => {
  const { terminal, host, done, putOut } = start()
  terminal.type('the password is hun')
  await terminal.waitFor('hun')
  putOut()
  await terminal.waitFor('what you typed was for the room before')
  terminal.type('ter2\r\rmore\r\r')
  await terminal.waitFor('Enter again says it here')
  const asked = terminal.written().length
  terminal.type('!\r')
  await terminal.waitFor('Enter again says it here', asked)
  expect(host.lines).toEqual([])
  terminal.type('\r')
  await expect.poll(() => host.lines).toEqual(['ter2more!'])
  terminal.type('and now at once\r\u0004')
  await done
  expect(host.lines).toEqual(['ter2more!', 'and now at once'])
})

test('an old line that was being changed and the draft before it both come back, and nothing is asked of who typed nothing', async () => {
  const { terminal, host, done, putOut } = start()
  putOut()
  terminal.type('old\r')
  await expect.poll(() => host.lines).toEqual(['old'])
  const from = terminal.written().length
  terminal.type(`new${UP}er`)
  await terminal.waitFor('er', from)
  putOut()
  await terminal.waitFor('what you typed was for the room before')
  terminal.type(`/help\r${UP}${UP}\r${UP}${UP}${UP}${UP}\r\u0004`)
  await done
  expect(host.lines).toEqual(['old', '/help', 'older', 'new'])
})

test('a line through a pipe that was begun before is not said in the next room', async () => {
  const { terminal, host, done, putOut } = start(createFakeTerminal({}))
  terminal.type('one\nthe passw')
  await terminal.waitFor('alice: one')
  putOut()
  terminal.type('ord\ntwo\n')
  await terminal.waitFor('alice: two')
  terminal.hangUp()
  await done
  expect(host.lines).toEqual(['one', 'two'])
  expect(terminal.written()).toContain('you were put out of the room before a line')
  expect(terminal.written()).not.toContain('↑')
})
