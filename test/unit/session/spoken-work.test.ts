import { expect, test } from 'vitest'
import { createSpokenWork } from '../../../src/session/spoken-work.ts'
import type { EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import type { RunningWork } from '../../../src/session/ports.ts'
import { work } from '../../support/session-host.ts'

test('each thing is said once, in words, however often it is looked at', () => {
  const spoken = createSpokenWork()
  const said = (...running: readonly RunningWork[]) => spoken.lines(running)
  expect(said(work('@qwen', 'waiting'), work('bob', 'Grep'))).toEqual([
    '-- qwen waits until other models are done',
  ])
  expect(said(work('@qwen', 'waiting', '9s'))).toEqual([])
  expect(said(work('@qwen', 'thinking'), work('@gpt', 'thinking'))).toEqual([
    '-- qwen is thinking',
    '-- gpt is thinking',
  ])
  expect(said(work('@qwen', 'Grep'), work('@gpt', 'writing'))).toEqual([])
  expect(said()).toEqual([])
  expect(said(work('@qwen', 'thinking'))).toEqual(['-- qwen is thinking'])
})

test('of a turn that was heard of already nothing is said, before it is over and while it still counts as running', () => {
  const spoken = createSpokenWork()
  const turn = (id: string): RunningWork => ({ ...work('@guide', 'thinking'), id })
  const answer = (id: string, outcome?: 'done') =>
    spoken.heard({
      ...{ id: id as EntryId, at: 0, room: 'lobby' as RoomName, author: 'guide', text: 'hello' },
      ...{ kind: 'reply', turn: id as TurnId, ...(outcome ? { outcome } : {}) },
    })
  answer('quick', 'done')
  expect(spoken.lines([])).toEqual([])
  expect(spoken.lines([turn('quick')])).toEqual([])
  answer('between two calls')
  expect(spoken.lines([turn('between two calls'), turn('other')])).toEqual(['-- guide is thinking'])
  for (let number = 0; number < 1_000; number++) answer(`turn ${number}`)
  expect(spoken.lines([turn('turn 999'), turn('new')])).toEqual(['-- guide is thinking'])
})

test('of a tool that says how far it is each quarter is said once, also of a call that was heard of', () => {
  const spoken = createSpokenWork()
  const at = (share: number): RunningWork => ({
    ...{ ...work('@qwen', 'holler_index'), id: 'turn' },
    progress: { share, text: 'reading' },
  })
  spoken.heard({
    ...{ id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'qwen', text: '', kind: 'notice' },
    ...{ level: 'info', turn: 'turn' as TurnId },
  })
  const said = [0, 0.1, 0.26, 0.3, 0.9, 0.2, 1, 1].flatMap((share) => spoken.lines([at(share)]))
  expect(said).toEqual([
    '-- holler_index is 25% done',
    '-- holler_index is 75% done',
    '-- holler_index is 100% done',
  ])
  const unknown = { ...work('bob', 'holler_index'), progress: { text: 'reading' } }
  expect(spoken.lines([unknown])).toEqual([])
})
