import { expect, test } from 'vitest'
import { hurry, inTime, PACED } from '../support/paced.ts'
import { createStageHere } from '../support/stage.ts'

test('lines that were typed before a kick are said in no room, and later ones where their author is', async () => {
  await using stage = await createStageHere({ config: PACED, isShared: true })
  await stage.as('ann', ['create', 'den'])
  await using session = await stage.open('bob', '-tt')
  await session.waitFor('-- lobby')
  session.write('/join den\r')
  await session.waitFor('-- den')
  await hurry(stage, 'bob')
  session.write('two\rthree\r')
  await stage.as('ann', ['kick', 'den', 'bob'])
  await session.waitFor('you were put out of den before this was done')
  await session.waitFor('you were put out of the room before a line')
  // Without ^C it would be asked whether this one is for the lobby.
  session.write('\u0003four\r')
  await expect.poll(() => inTime(stage, 'carol', 'history lobby'), { timeout: 10_000 }).toContain('bob: four')
  for (const room of ['den', 'lobby'])
    expect(await inTime(stage, 'carol', `history ${room}`), room).not.toMatch(/two|three/)
})
