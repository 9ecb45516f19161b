import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../../../src/server/pino-log.ts'
import { temporaryDir } from '../../support/storage.ts'

test('the log is JSON without characters that a terminal obeys, also in errors and lists', () => {
  using dir = temporaryDir()
  const path = join(dir.path, 'log')
  const log = createLog('info', path)
  log.info({ file: 'a\u009b31mb\u202ec\u200bd', words: ['x\u2028y', 'größe 👩‍💻'] }, 'first\u0085')
  log.error({ error: new Error('no \u009d0;title\u0007file') }, 'second')
  log.flush()
  const text = readFileSync(path, 'utf8')
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\u200b\u202e]/u)
  const [first, second, ...more] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(first).toMatchObject({ level: 'info', msg: 'first', file: 'abcd', words: ['x\ny', 'größe 👩‍💻'] })
  expect(second.error.message).toBe('no file')
  expect(more).toEqual([])
})
