import { expect, test } from 'vitest'
import { createGreeting } from '../../../../src/app/room/greeting.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { personCalled } from '../../../support/ssh-server.ts'

test('admins are told what is wrong between the servers, as long as it is so, and nobody else', async () => {
  const parts = await createChatParts()
  const lobby = await parts.rooms.lobby()
  let troubles = ['the bus is away', 'the server a is not as the server b']
  const greeting = createGreeting({ models: () => [], isClaimable: () => false, troubles: () => troubles })
  const told = (admin: boolean): string =>
    greeting(lobby, { ...personCalled('rhea'), admin }, { earlierLogins: 2, zone: 'UTC' }).join('\n')
  expect(told(true)).toMatch(/^-- the bus is away\n-- the server a is not as the server b\n/)
  expect(told(false)).not.toMatch(/the bus|the server/)
  troubles = []
  expect(told(true)).not.toMatch(/the bus|the server/)
})

test('what to type is said at the first two logins, and that times are UTC at the first', async () => {
  const lobby = await (await createChatParts()).rooms.lobby()
  const greeting = createGreeting({ models: () => [], isClaimable: () => false, troubles: () => [] })
  const told = (earlierLogins: number, zone?: string) =>
    greeting(lobby, personCalled('rhea'), { earlierLogins, zone })
  const here = '-- nobody else is here now'
  const howTo = '-- type to speak; @guide shows you around; /help lists the commands'
  expect(told(0, 'UTC')).toEqual([here, howTo, '-- times are UTC; /set timezone'])
  expect(told(0, 'Europe/Berlin')).toEqual([here, howTo])
  expect(told(1, 'UTC')).toEqual([here, howTo])
  expect(told(2, 'UTC')).toEqual([here])
})

test('somebody new reads the names of two models, and how many others there are', async () => {
  const lobby = await (await createChatParts()).rooms.lobby()
  const told = (...names: readonly string[]): string => {
    const models = names.map((name) => ({ name, backend: 'openai', enabled: true }))
    const greeting = createGreeting({ models: () => models, isClaimable: () => false, troubles: () => [] })
    return greeting(lobby, personCalled('rhea'), { earlierLogins: 0, zone: undefined })[1] ?? ''
  }
  const line = (models: string) =>
    `-- type to speak; @guide shows you around, ${models}; /help lists the commands`
  expect(told('qwen')).toBe(line('@qwen answers'))
  expect(told('qwen', 'gpt')).toBe(line('@qwen and @gpt answer'))
  expect(told('qwen', 'gpt', 'a', 'b')).toBe(line('@qwen, @gpt and 2 more answer, see /models'))
})
