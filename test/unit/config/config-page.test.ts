import { expect, test } from 'vitest'
import { configPage } from '../../support/config-page.ts'

test('docs/config.md is what the schema of the config gives', async () => {
  const page = await configPage()
  await expect(page, 'the page is old: npm run docs writes it anew').toMatchFileSnapshot(
    '../../../docs/config.md',
  )
})

test('every key in docs/config.md is described', async () => {
  const page = await configPage()
  expect(page.match(/^- .*: (undefined)?$/gm)).toBeNull()
  expect(page).toContain(
    '`login_timeout_s` (integer from 1, default `20`): Seconds from a connection to its login.',
  )
})
