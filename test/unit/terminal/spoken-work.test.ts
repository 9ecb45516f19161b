import { expect, test } from 'vitest'
import { SpokenWork } from '../../../src/terminal/views/spoken.ts'
import type { RunningWork } from '../../../src/terminal/ports.ts'
import { work } from '../../support/session-host.ts'

test('the state of a running model is announced in words only once', () => {
  const spoken = new SpokenWork()
  const said = (...running: readonly RunningWork[]) => spoken.lines(running)
  expect(said(work('@qwen', 'waiting'), work('bob', 'Grep'))).toEqual([
    '-- qwen waits until other models are done',
  ])
  expect(said(work('@qwen', 'waiting', '9s'))).toEqual([])
  expect(said(work('@qwen', 'thinking'), work('@gpt', 'thinking'))).toEqual([
    '-- qwen is thinking, for bob',
    '-- gpt is thinking, for bob',
  ])
  expect(said(work('@qwen', 'Grep'), work('@gpt', 'writing'))).toEqual([])
  expect(said()).toEqual([])
  expect(said(work('@qwen', 'thinking'))).toEqual(['-- qwen is thinking, for bob'])
})

test('the progress of a tool is announced once for each quarter', () => {
  const spoken = new SpokenWork()
  const at = (share: number): RunningWork => ({
    ...{ ...work('bob', 'holler_index'), id: 'run' },
    progress: { share, text: 'reading' },
  })
  expect([0, 0.1, 0.26, 0.3, 0.9, 0.9].flatMap((share) => spoken.lines([at(share)]))).toEqual([
    '-- holler_index is 25% done',
    '-- holler_index is 75% done',
  ])
  const unknown = { ...work('bob', 'holler_index'), progress: { text: 'reading' } }
  expect(spoken.lines([unknown])).toEqual([])
})
