import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { paths } from '../../src/base/paths.ts'

const pages = [
  'README.md',
  ...readdirSync(join(paths.root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const read = (page: string): string => readFileSync(join(paths.root, page), 'utf8')
const withoutCode = (text: string): string =>
  text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/^ {4}.*$/gm, '')

/** The anchors that GitHub gives the headings of a page. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

function brokenLinks(page: string): readonly string[] {
  const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^(?:https?|mailto):/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : join(dirname(page), file)
    if (!existsSync(join(paths.root, target))) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
}

test.each(pages)('each link of %s leads to a page and a heading that exist', (page) => {
  expect(brokenLinks(page)).toEqual([])
})
