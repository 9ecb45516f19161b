import { expect, it } from 'vitest'
import type { FileNote } from '../../../src/words/entry.ts'
import { fileChangesText, fileNamesText } from '../../../src/words/file-notes.ts'

const made = (name: string): FileNote => ({ name, event: 'made', size: 1, type: 'text' })

it('many files are named up to the eighth, and the others are counted', () => {
  const notes = Array.from({ length: 10 }, (_, at) => made(String(at)))
  expect(fileNamesText(notes)).toMatch(/^0 \(text, 1 B\), 1 .*, 7 \(text, 1 B\) and 2 more$/)
  expect(fileNamesText(notes.slice(0, 8))).not.toContain('more')
})

it('changes of files are grouped by the kind of change', () => {
  const notes = [made('a'), { name: 'b', event: 'removed' } as const, made('c')]
  expect(fileChangesText(notes)).toBe('made a (text, 1 B), c (text, 1 B); removed b')
})
