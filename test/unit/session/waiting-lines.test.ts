import { expect, test } from 'vitest'
import { personCalled } from '../../support/ssh-server.ts'
import { createFakeRoom } from '../../support/session-host.ts'
import { newAccount, sharedBySessions } from '../../support/shared-by-sessions.ts'
import { WITHOUT_TIMES } from '../../support/personal.ts'
import { createFakeTerminal } from '../../support/terminal.ts'
import { createDeferred } from '../../../src/lib/deferred.ts'
import { runSession } from '../../../src/session/session.ts'

test('^C drops the lines of a paste that wait and have not begun, and says how many', async () => {
  const terminal = createFakeTerminal({ size: { columns: 80, rows: 24 } })
  const host = createFakeRoom().host()
  const first = createDeferred<void>()
  const done = runSession({
    account: newAccount(),
    terminal,
    person: personCalled('alice'),
    host: {
      ...host,
      async submit(line) {
        await host.submit(line)
        await first.promise
      },
    },
    shared: sharedBySessions(),
    preferences: WITHOUT_TIMES,
  })
  terminal.type('/who\r'.repeat(300))
  await expect.poll(() => host.lines).toEqual(['/who'])
  terminal.type('half a line\u0003\u0003')
  await terminal.waitFor('299 lines that waited are dropped')
  terminal.type('after it\r\u0004')
  first.resolve()
  await done
  expect(host.lines).toEqual(['/who', 'after it'])
})
