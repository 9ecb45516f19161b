import { expect, test } from 'vitest'
import type { PresenceEntry, PresenceSumEntry } from '../../src/chat/entry.ts'
import { startServer } from '../support/server.ts'
import { createStage } from '../support/stage.ts'

const NAMES = ['ann', 'bea', 'cleo', 'dora', 'eve', 'fay']

test('who hangs up just before the server stops has left, whatever of theirs still waits', async () => {
  await using stage = await createStage({ config: '[limits]\nrate_burst = 2\nrate_per_s = 1\n' })
  const sessions = await Promise.all(NAMES.map((name) => stage.open(name, '-T')))
  for (const session of sessions) {
    await session.waitFor('-- lobby')
    session.write(Array.from({ length: 10 }, (_, line) => `line ${line}\n`).join(''))
  }
  for (const session of sessions) await session.waitFor('line 1\n')
  for (const session of sessions) session.child.kill('SIGKILL')
  await Promise.all(sessions.map(({ exit }) => exit))
  expect(await stage.server.stop('SIGTERM')).toBe(0)
  expect(stage.server.stderr()).not.toContain('was not stored')
  await stage.goOnWith(startServer)
  const { stdout } = await stage.as('guy', ['history', 'lobby', '--json', '-n', '1000'])
  const entries = stdout.split('\n').filter(Boolean)
  const told = entries.map((line): PresenceEntry | PresenceSumEntry => JSON.parse(line))
  const left = told.flatMap((entry) =>
    entry.event === 'summed' ? entry.left : entry.event === 'left' ? [entry.text.replace(/ left$/, '')] : [],
  )
  expect(left.filter((name) => NAMES.includes(name)).toSorted()).toEqual(NAMES)
})
