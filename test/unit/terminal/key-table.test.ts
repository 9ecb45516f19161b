import { readFile } from 'node:fs/promises'
import { format } from 'prettier'
import { expect, test } from 'vitest'
import { createKeyDecoder, KEY_HELP, KEYS } from '../../../src/terminal/input/keys.ts'

const PAGE = '../../../docs/keys.md'

/** What a terminal sends for a key that is spelled like this. */
function bytesOf(key: string): string {
  const alt = /^Alt-(.+)$/.exec(key)?.[1]
  if (alt !== undefined) return `\u001b${bytesOf(alt)}`
  const control = /^Ctrl-([A-Z_])$/.exec(key)?.[1]
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f)
  return NAMED[key] ?? key
}

const NAMED: Readonly<Record<string, string>> = {
  Esc: '\u001b', Enter: '\r', Tab: '\t', Backspace: '\u007f', Delete: '\u001b[3~', Home: '\u001b[H', End: '\u001b[F',
  '↑': '\u001b[A', '↓': '\u001b[B', '→': '\u001b[C', '←': '\u001b[D', 'Ctrl-→': '\u001b[1;5C', 'Ctrl-←': '\u001b[1;5D',
} // prettier-ignore

test.each(Object.entries(KEYS))(
  'every key that the key table lists for %s is decoded as that action',
  (name, { keys }) => {
    for (const key of keys.split(', '))
      expect([key, createKeyDecoder()(new TextEncoder().encode(bytesOf(key)), 20)]).toEqual([
        key,
        [{ type: 'press', name }],
      ])
  },
)

test('the table in docs/keys.md matches the list of keys', async () => {
  const before = await readFile(new URL(PAGE, import.meta.url), 'utf8')
  const rows = KEY_HELP.map(
    ({ keys, does }) =>
      `| ${keys
        .split(', ')
        .map((key) => `\`${key}\``)
        .join(', ')} | ${does} |`,
  )
  const table = `| key | what it does |\n| --- | --- |\n${rows.join('\n')}\n`
  const now = before.replace(/^\| key +\| what it does +\|\n(?:\|.*\n)+/m, () => table)
  expect(now).toContain(table)
  const page = await format(now, { parser: 'markdown', printWidth: 110 })
  await expect(page, 'the table is old: npm run docs writes it anew').toMatchFileSnapshot(PAGE)
})
