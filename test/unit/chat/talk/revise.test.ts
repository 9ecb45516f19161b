import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/chat/entry.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { revise } from '../../../../src/chat/talk/own-lines.ts'

test('what is revised as it comes is what the store gives for the whole log', async () => {
  const { rooms } = await createChatParts()
  const room = await rooms.lobby()
  const one = await room.record({ kind: 'message', author: 'ann', text: 'one' })
  const two = await room.record({ kind: 'action', author: 'ann', text: 'waves' })
  const edit = { kind: 'message', author: 'ann', edits: one.id } as const
  await room.record({ ...edit, text: 'two' })
  await room.record({ ...edit, text: 'three' })
  const notice = { kind: 'notice', level: 'info', author: 'ann', text: 'back' } as const
  await room.record({ kind: 'action', author: 'bob', text: '👍', reacts: two.id, to: 'ann' })
  await room.record({ ...notice, retracts: two.id })
  const whole = await room.history({ limit: 99 })
  const empty: readonly Entry[] = []
  expect(whole.reduce(revise, empty)).toEqual(await room.history({ limit: 99, revised: true }))
  await room.record({ ...notice, retracts: one.id })
  await room.record({ ...edit, text: 'four' })
  const later = await room.history({ limit: 99 })
  expect(later.reduce(revise, empty)).toEqual(await room.history({ limit: 99, revised: true }))
  expect(later.reduce(revise, empty)).toHaveLength(2)
})
