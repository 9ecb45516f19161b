import { expect, test } from 'vitest'
import { unsaidInPages } from '../../checks/config-in-pages.ts'

const pages = { security: '`turn_s` 600, `rate_burst` 80', readme: 'or openai-compatible, `@guide`' }

test('a limit and a backend that no page names are told, and so is a default that has changed', () => {
  expect(unsaidInPages({ turn_s: 600, rate_burst: 8, stall_s: 30 }, ['guide', 'openai'], pages)).toEqual([
    'docs/security.md does not say `rate_burst` 8: it lists all limits',
    'docs/security.md does not say `stall_s` 30: it lists all limits',
    'README.md does not name the backend openai',
  ])
})

test('nothing is told where the pages say all of it', () => {
  expect(unsaidInPages({ turn_s: 600 }, ['openai-compatible'], pages)).toEqual([])
})
