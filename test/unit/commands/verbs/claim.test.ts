import { expect, test } from 'vitest'
import {
  CLAIM_CODE,
  createCommandWorld,
  done,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'

const WRONG = 'that claim code is wrong or was used already; the server prints it when it starts'

test('/claim is refused for a wrong code, for a guest, and where there is an admin', async () => {
  await using world = await createCommandWorld()
  for (const code of ['nope', '-', 'x'.repeat(9_999), `${CLAIM_CODE}x`])
    expect(await world.exec(world.bob, `claim ${code}`)).toEqual(refused(WRONG))
  expect(await world.type(world.guest, `claim ${CLAIM_CODE}`)).toEqual(
    refused('a guest cannot be admin; log in with a name that nobody has'),
  )
  expect(await world.exec(world.bob, `claim ${CLAIM_CODE}`)).toEqual(refused('there is an admin already'))
  expect(await world.exec(world.bob, 'claim')).toEqual(misused('claim: CODE is missing', 'claim CODE'))
})

test('/claim makes the first admin, once', async () => {
  await using world = await createCommandWorld()
  await world.turnWorld.chatParts.storage.chat.people.setAdmin(world.root.id, false)
  expect(await world.exec(world.bob, `claim ${CLAIM_CODE.toLowerCase()}`)).toEqual(done('bob is admin now'))
  expect(await world.exec(world.bob, 'whoami')).toEqual(done('bob (admin)'))
  expect(await world.exec(world.ann, `claim ${CLAIM_CODE}`)).toEqual(refused(WRONG))
})
