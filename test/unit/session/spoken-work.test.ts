import { expect, test } from 'vitest'
import { createSpokenWork } from '../../../src/session/spoken-work.ts'
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
