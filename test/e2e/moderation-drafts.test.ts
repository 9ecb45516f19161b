import { expect, test } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { openSsh, type SshSession } from '../support/ssh.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

const ASIDE = 'what you typed was for the room before'
const AGAIN = 'Enter again says it here'
const UP = '\u001b[A'

/** Goes into a room that ann has just made. */
async function goTo(stage: Stage<AnyServer>, session: SshSession, room: string): Promise<void> {
  await stage.as('ann', ['create', room])
  const from = session.output().length
  session.write(`/join ${room}\r`)
  await session.waitFor(`-- ${room}`, from)
}

/** Somebody with another kind of terminal. */
async function openIn(stage: Stage<AnyServer>, term: string): Promise<SshSession> {
  const { port } = stage.server
  return openSsh({
    user: 'bob',
    port,
    key: await stage.home.key('bob'),
    options: ['-tt'],
    env: { TERM: term },
  })
}

const said = async (stage: Stage<AnyServer>, room: string): Promise<string> =>
  (await stage.as('carol', ['history', room])).stdout

const OUT = [
  { how: 'a kick', lines: ['kick den bob'] },
  { how: 'a ban from the room', lines: ['ban --room den bob'] },
  { how: 'the end of the room', lines: ['delete den', 'delete den den'] },
]

for (const { how, lines } of OUT)
  test(`what somebody types during ${how} is not said in the lobby, and ↑ brings it back`, async () => {
    await using stage = await createStageHere({ isShared: true })
    await using session = await stage.open('bob', '-tt')
    await session.waitFor('-- lobby')
    await goTo(stage, session, 'den')
    session.write('the password of den is hunter')
    await session.waitFor('is hunter')
    for (const line of lines) await stage.as('ann', line.split(' '))
    await session.waitFor(ASIDE)
    // The fingers do not know yet.
    session.write('2 and no more\r')
    await session.waitFor(AGAIN)
    session.write('\u0003')
    session.write('hello lobby\r')
    await expect.poll(() => said(stage, 'lobby'), { timeout: 10_000 }).toContain('bob: hello lobby')
    const from = session.output().length
    session.write(`${UP}${UP}`)
    await session.waitFor('the password of den is hunter', from)
    expect(await said(stage, 'lobby')).not.toMatch(/password|no more/)
  })

for (const term of ['xterm', 'dumb'])
  test(`a paste during a kick is put aside whole, and said by who wants it (${term})`, async () => {
    await using stage = await createStageHere({ isShared: true })
    await using session = await openIn(stage, term)
    await session.waitFor('lobby')
    await stage.as('ann', ['create', 'den'])
    session.write('/join den\r')
    await session.waitFor(/bob joined|-- den/)
    session.write('\u001b[200~first\rsecond')
    await session.waitFor('second')
    await stage.as('ann', ['kick', 'den', 'bob'])
    await session.waitFor(ASIDE)
    session.write(' third\rfourth\u001b[201~\r')
    // A barrier: what is typed behind it is done after it.
    session.write('/whoami\r')
    await session.waitFor('bob (member)')
    expect(await said(stage, 'lobby')).not.toMatch(/first|second|third|fourth/)
    session.write(`${UP}${UP}\r`)
    await expect
      .poll(() => said(stage, 'lobby'), { timeout: 10_000 })
      .toMatch(/bob: first\n\s+second third\n\s+fourth/)
  })
