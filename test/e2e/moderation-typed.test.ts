import { expect, test } from 'vitest'
import { hurry, inTime, PACED } from '../support/paced.ts'
import { createStageHere } from '../support/stage.ts'

test('lines that were typed before a kick are said in no room, and later ones where their author is', async () => {
  await using stage = await createStageHere({ config: PACED, isShared: true })
  await stage.as('ann', ['create', 'den'])
  await using session = await stage.open('bob', '-tt')
  await session.waitFor(/[-─] lobby/)
  session.write('/join den\r')
  await session.waitFor(/[-─] den/)
  await hurry(stage, 'bob')
  session.write('two\rthree\r')
  await stage.as('ann', ['kick', 'den', 'bob'])
  await session.waitFor('you were put out of den before this was done')
  await session.waitFor('1 line not sent: you were put out of the room')
  session.write('four\r')
  await expect.poll(() => inTime(stage, 'carol', 'history lobby'), { timeout: 10_000 }).toContain('bob: four')
  for (const room of ['den', 'lobby'])
    expect(await inTime(stage, 'carol', `history ${room}`), room).not.toMatch(/two|three/)
})

test('a draft stays while its author is kicked, and Enter says it in the lobby', async () => {
  await using stage = await createStageHere({ isShared: true })
  await stage.as('ann', ['create', 'den'])
  await using session = await stage.open('bob', '-tt')
  await session.waitFor(/[-─] lobby/)
  session.write('/join den\r')
  await session.waitFor(/[-─] den/)
  session.write('half a')
  await session.waitFor('half a')
  await stage.as('ann', ['kick', 'den', 'bob'])
  await session.waitFor('ann kicked you out of den')
  session.write(' thought\r')
  const said = async (): Promise<string> => (await stage.as('carol', ['history', 'lobby'])).stdout
  await expect.poll(said, { timeout: 10_000 }).toContain('bob: half a thought')
})

test('a pipe ends with status 1 when its author is kicked', async () => {
  await using stage = await createStageHere({ isShared: true })
  await stage.as('ann', ['create', 'den'])
  await using pipe = await stage.open('bob', '-T')
  pipe.write('/join den\n')
  await pipe.waitFor(/[-─] den/)
  await stage.as('ann', ['kick', 'den', 'bob'])
  await pipe.waitFor('ann kicked you out of den')
  expect(await pipe.exit).toBe(1)
})
