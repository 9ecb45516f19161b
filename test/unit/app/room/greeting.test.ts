import { expect, test } from 'vitest'
import { createGreeting } from '../../../../src/app/room/greeting.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { personCalled } from '../../../support/ssh-server.ts'

test('admins are told that the bus is away and how servers differ, as long as it is so, and nobody else', async () => {
  const parts = await createChatParts()
  const lobby = await parts.rooms.lobby()
  let isUp = false
  let differences = ['the server a is not as the server b']
  const greeting = createGreeting({
    models: () => [],
    isClaimable: () => false,
    isBusUp: () => isUp,
    differences: () => differences,
  })
  const told = (admin: boolean): string => greeting(lobby, { ...personCalled('rhea'), admin }).join('\n')
  expect(told(true)).toContain('-- the bus between the servers is away')
  expect(told(true)).toContain('\n-- the server a is not as the server b\n')
  expect(told(false)).not.toMatch(/the bus|the server/)
  isUp = true
  differences = []
  expect(told(true)).not.toMatch(/the bus|the server/)
})
