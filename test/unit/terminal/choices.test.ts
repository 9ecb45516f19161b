import { expect, test } from 'vitest'
import { listChoices } from '../../../src/terminal/input/choices.ts'

const summaries: Readonly<Record<string, string>> = {
  '/help': 'list the commands',
  '/history': 'show what was said, with ids, and count what there is',
}
const summaryOf = (choice: string) => summaries[choice]

const rowsAt = (columns: number, rows = 24, choices = ['/help', '/history']): readonly string[] =>
  listChoices(choices, summaryOf, { columns, rows }).split('\n')

test('each command has a row, and the summaries are in one column', () => {
  expect(rowsAt(80)).toEqual([
    '/help     list the commands',
    '/history  show what was said, with ids, and count what there is',
  ])
})

test('a summary that is too long for its row is cut after a word', () => {
  expect(rowsAt(40)[1]).toBe('/history  show what was said, with …')
})

test('choices without a summary share a row', () => {
  expect(rowsAt(80, 24, ['ann', 'bob'])).toEqual(['ann  bob'])
})

test('choices after the sixtieth are not listed but counted', () => {
  const words = Array.from({ length: 70 }, (_, index) => `w${index}`)
  const [row = ''] = rowsAt(80, 24, words)
  expect(row.endsWith('w59  … 10 more')).toBe(true)
})

test('the list of commands takes at most the rows that the prompt leaves in the window', () => {
  const many = Array.from({ length: 30 }, () => '/help')
  const rows = rowsAt(80, 12, many)
  expect(rows).toHaveLength(9)
  expect(rows.at(-1)).toBe('… 22 more; type a letter, then Tab')
  expect(rowsAt(80, 3, many)).toHaveLength(2)
})
