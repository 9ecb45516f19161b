import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paths } from '../../src/base/paths.ts'

const read = (file: string): string => readFileSync(join(paths.root, file), 'utf8')
const page = read('docs/troubleshooting.md')
const source = readdirSync(join(paths.root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => read(join('src', file)))
  .join('\n')

/** The messages of sshawl's own, each with `…` for what differs. What OpenSSH and Lua say is not in the source. */
const messages = [...page.slice(page.indexOf('## After the login')).matchAll(/^- `([^`]+)`/gm)]
  .map(([, message = '']) => message)
  .filter((message) => !message.startsWith('script:3'))

test('docs/troubleshooting.md has at least forty messages', () => {
  expect(messages.length).toBeGreaterThanOrEqual(40)
})

test.each(messages)('the source code contains the message %j', (message) => {
  const parts = message.split(/\s*…\s*|[:;,] ?/).filter((part) => part.length > 3)
  expect(parts.filter((part) => !source.includes(part))).toEqual([])
})
