import { afterAll, describe, expect, test } from 'vitest'
import { blocksOf, createPageRunner, readPage } from './run-page.ts'

describe('docs/tutorial.md', async () => {
  const page = await readPage('docs/tutorial.md')
  const runner = await createPageRunner()
  afterAll(() => runner[Symbol.asyncDispose]())
  const sections = page.split(/^## (?=\d)/m).slice(1)

  test('the tutorial has eight sections', () => {
    expect(sections.map(([first]) => first)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  })

  test.each(sections.map((text) => ({ title: text.slice(0, text.indexOf('\n')), text })))(
    'each line of section $title does what the tutorial says',
    async ({ text }) => {
      for (const block of blocksOf(text)) await runner.run(block)
    },
  )
})

test('each line of README.md does what the page says', async () => {
  await using runner = await createPageRunner()
  const page = await readPage('README.md')
  expect(page.split('\n').length).toBeLessThanOrEqual(91)
  for (const block of blocksOf(page)) await runner.run(block)
})
