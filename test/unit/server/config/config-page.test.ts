import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { configPage } from '../../../support/config-page.ts'
import { requestOf } from '../../../support/sent-requests.ts'

test('docs/config.md matches the schema of the config', async () => {
  const page = await configPage()
  await expect(page, 'the page is old: npm run docs writes it anew').toMatchFileSnapshot(
    '../../../../docs/config.md',
  )
})

test('every key in docs/config.md is described', async () => {
  const page = await configPage()
  expect(page.match(/^- .*: (undefined)?$/gm)).toBeNull()
  expect(page).toContain(
    '`login_timeout_s` (integer from 1, default `20`): Seconds within which a new connection must log in.',
  )
})

const page = readFileSync(new URL('../../../../docs/models.md', import.meta.url), 'utf8')
const servers = page.slice(page.indexOf('## Servers'), page.indexOf('## What servers are asked'))
const examples = servers.split('    [[models]]\n').slice(1)
const keysOf = (example: string): string =>
  example
    .split('\n')
    .filter((line) => line.startsWith('    ') && !line.includes('name ='))
    .map((line) => line.trim())
    .join('\n')

test('docs/models.md has an example for each server', () => {
  expect(examples).toHaveLength(11)
})

test.each(examples.map(keysOf))('the example %j is a config that reaches a server', async (keys) => {
  const local = keys.replace(/endpoint = "https?:\/\/[^/"]+/, 'endpoint = "ENDPOINT')
  const here =
    local === keys ? `${keys}\nendpoint = "ENDPOINT${keys.includes('gemini') ? '/v1beta' : ''}"` : local
  const { path } = await requestOf(here)
  expect(path).not.toBe('')
})
