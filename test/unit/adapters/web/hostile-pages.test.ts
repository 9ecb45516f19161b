import { describe, expect, test } from 'vitest'
import { createPageReader, READER_LIMITS } from '../../../../src/adapters/web/page-reader.ts'
import { paths } from '../../../../src/app/paths.ts'

const never = new AbortController().signal
const reader = createPageReader(paths.pageReader)
const MIB = 1024 * 1024

describe('a page made to hang its reader', () => {
  const strict = createPageReader(paths.pageReader, { ...READER_LIMITS, ms: 600, heapMiB: 96 })

  test.each([
    ['elements nested without measure', '<div>'.repeat(100_000)],
    ['quotes in quotes', '<blockquote><p>a'.repeat(20_000)],
    ['half a million elements', '<br>'.repeat(MIB / 2)],
    ['a table of cells in cells', `<table>${'<tr><td>'.repeat(MIB / 4)}`],
    ['two million angle brackets', '<'.repeat(2 * MIB)],
  ])('by %s is given up, and the server goes on meanwhile', async (_what, html) => {
    let beats = 0
    const heart = setInterval(() => (beats += 1), 20)
    const reading = strict({ html, url: 'https://site.test/', format: 'markdown' }, never)
    await expect(reading).rejects.toThrow('too large or too oddly built')
    clearInterval(heart)
    expect(beats).toBeGreaterThan(3)
    expect(
      (await reader({ html: '<p>still here', url: 'https://site.test/', format: 'markdown' }, never)).text,
    ).toBe('still here')
  })

  test('by a huge attribute is read', async () => {
    const html = `<html><body><p title="${'a'.repeat(2 * MIB)}">x</p>`
    expect((await reader({ html, url: 'https://site.test/', format: 'markdown' }, never)).text).toBe('x')
  })

  test('is left when the turn is stopped', async () => {
    const stopped = new AbortController()
    const request = { html: '<div>'.repeat(100_000), url: 'https://site.test/', format: 'text' } as const
    const reading = reader(request, stopped.signal)
    setImmediate(() => stopped.abort(new Error('stopped')))
    await expect(reading).rejects.toThrow('stopped')
  })
})
