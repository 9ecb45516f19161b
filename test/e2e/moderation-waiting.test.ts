import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFile } from '../../src/adapters/storage/sqlite/driver.ts'
import { begun, hurry, inTime, PACED } from '../support/paced.ts'
import { createStageHere } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'

test('a line and a command that wait for their pace are not done after a ban from the server', async () => {
  await using stage = await createStageHere({ config: PACED, isShared: true })
  await stage.claim('rhea')
  await using session = await stage.open('mallory', '-T')
  await session.waitFor('-- lobby')
  session.write('one\ntwo\n')
  await session.waitFor('mallory: two')
  await hurry(stage, 'mallory')
  session.write('three\n')
  await using making = await begun(stage, 'mallory', 'token new')
  await inTime(stage, 'rhea', 'ban mallory')
  expect([await session.exit, await making.exit]).toEqual([1, 1])
  await inTime(stage, 'rhea', 'unban mallory')
  // What waited before comes before.
  expect(await inTime(stage, 'mallory', 'token list')).toBe('you have no token\n')
  const said = await inTime(stage, 'ann', 'history lobby')
  expect(said).toMatch(/two[^]*banned mallory/)
  expect(said).not.toMatch(/three|banned mallory[^]*in a hurry/)
})

test('what is still being piped in is not said after a ban, from the room or from the server', async () => {
  await using stage = await createStageHere({ isShared: true })
  await stage.claim('rhea')
  await stage.as('ann', ['create', 'den'])
  await using bob = await begun(stage, 'bob', 'say den')
  await using max = await begun(stage, 'max', 'say den')
  for (const client of [bob, max]) client.write('half\n')
  await stage.as('ann', ['ban', '--room', 'den', 'bob'])
  await stage.as('rhea', ['ban', 'max'])
  for (const client of [bob, max]) client.write('rest\n')
  for (const client of [bob, max]) client.close()
  expect([await bob.exit, await max.exit]).toEqual([1, 1])
  expect(bob.errors()).toContain('you are banned from den')
  expect(await inTime(stage, 'ann', 'history den')).not.toContain('half')
})

test('a ban, a mute and an archive that no room can be told of hold at once, and whoever decided them reads so', async ({
  skip,
}) => {
  skip(onPostgres, "it is about SQLite's file")
  await using stage = await createStageHere({ isShared: true })
  await stage.claim('rhea')
  await stage.as('ann', ['create', 'den'])
  await using session = await stage.open('mallory', '-T')
  await session.waitFor('-- lobby')
  await stage.as('bob', ['say', 'den', 'I am here'])
  const other = openFile(join(stage.server.dataDir, 'sshawl.db'))
  other.exec("CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT raise(ABORT, 'no more'); END")
  for (const [line, holds] of [
    [
      'ban mallory',
      'rhea banned mallory from the server without an end; that holds, but lobby could not be told: ',
    ],
    ['mute den bob', 'rhea muted bob; that holds, but den could not be told: '],
    ['unmute den bob', 'rhea unmuted bob; that holds, but den could not be told: '],
    ['archive den', 'that holds, but den could not be told: '],
    [
      'unban mallory',
      'rhea lifted the ban of mallory from the server; that holds, but lobby could not be told: ',
    ],
  ] as const) {
    const { exitCode, stderr } = await stage.as('rhea', line.split(' '))
    expect({ exitCode, stderr }, line).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(holds) as string,
    })
    if (line === 'ban mallory') {
      expect(await session.exit).toBe(1)
      expect(session.output() + session.errors()).toContain('you were banned from this server')
      expect((await stage.as('mallory', ['whoami'])).exitCode).toBe(255)
    }
  }
  other.close()
  expect(stage.server.stderr()).toContain('moderation that the room was not told')
})
