import { expect, test } from 'vitest'
import { quietWhileAway } from '../../../src/app/quiet-log.ts'
import { StorageError } from '../../../src/chat/errors.ts'
import { handClock } from '../../support/chat-parts.ts'
import { recordingLog } from '../../support/pool.ts'

const away = new StorageError('away', 'the database server cannot be reached', {
  cause: new Error('ECONNREFUSED'),
})

test('what fails while the database is away is said in one line without a stack, the same at most once in ten seconds', () => {
  const clock = handClock()
  const { log, lines } = recordingLog()
  const quiet = quietWhileAway(log, clock)
  for (let second = 0; second < 25; second++) {
    quiet.warn({ error: away, reason: 'away' }, 'the log could not be looked at')
    clock.advance(1_000)
  }
  quiet.error({ error: away, room: 'den' }, 'something else')
  expect(lines.map(({ text }) => text)).toEqual([
    ...['the log could not be looked at', 'the log could not be looked at', 'the log could not be looked at'],
    'something else',
  ])
  expect(lines.at(-1)?.facts).toEqual({ room: 'den', why: 'the database server cannot be reached' })
})

test('everything else is said as it is', () => {
  const { log, lines } = recordingLog()
  const quiet = quietWhileAway(log, handClock())
  const error = new StorageError('corrupt', 'the database is damaged')
  for (const _ of [1, 2]) quiet.error({ error }, 'it is damaged')
  quiet.info({}, 'hello')
  expect(lines.map(({ facts }) => facts)).toEqual([{ error }, { error }, {}])
})
