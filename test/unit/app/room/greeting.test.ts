import { expect, test } from 'vitest'
import { createGreeting } from '../../../../src/app/room/greeting.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { personCalled } from '../../../support/ssh-server.ts'

test('admins are told that the bus is away, as long as it is, and nobody else', async () => {
  const parts = await createChatParts()
  const lobby = await parts.rooms.lobby()
  let isUp = false
  const greeting = createGreeting({ models: () => [], isClaimable: () => false, isBusUp: () => isUp })
  const told = (admin: boolean): string => greeting(lobby, { ...personCalled('rhea'), admin }).join('\n')
  expect(told(true)).toContain('-- the bus between the servers is away')
  expect(told(false)).not.toContain('the bus')
  isUp = true
  expect(told(true)).not.toContain('the bus')
})
