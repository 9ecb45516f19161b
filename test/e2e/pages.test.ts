import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFile, openBrowser, violations, type Look, type TestBrowser } from '../support/browser.ts'
import { calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
let browser: TestBrowser
let axe: string

/** Texts that would do something on a careless page. People and a model write them. */
const HOSTILE = [
  '<script>globalThis.pwned = 1; document.title = "pwned"</script>',
  '</style></title></pre></details><script>globalThis.pwned = 1</script><style>* { display: none }</style>',
  '<img src=x onerror="globalThis.pwned = 1"><svg onload="globalThis.pwned = 1"><iframe src="https://example.org/">',
  '[a](javascript:globalThis.pwned=1) [b](JaVaScRiPt:globalThis.pwned=1) [c](data:text/html,<script>pwned=1</script>)',
  '[d](vbscript:x) [e](file:///etc/passwd) <javascript:globalThis.pwned=1> [f](//example.org/x "t" onclick=pwned=1)',
  '![picture](https://example.org/pixel.png) ![x](javascript:pwned=1) https://example.org/"onmouseover="pwned=1',
  '" autofocus onfocus="globalThis.pwned = 1" x="',
  '&lt;script&gt; &#x3c;script> &NewLine; {{constructor}} ${globalThis.pwned=1}',
  '<!-- --><meta http-equiv="refresh" content="0;url=https://example.org/"><base href="https://example.org/">',
  '\u202eevil\u202c \u2066isolated\u2069 \u200f \u0627\u0644\u0639\u0631\u0628\u064a\u0629 123 \u05e9\u05dc\u05d5\u05dd',
  'x'.repeat(4_000),
]
/** Longer than a person may write. */
const LONG_WORD = 'x'.repeat(60_000)
const DEEP = `${'> '.repeat(300)}deep ${'['.repeat(2_000)} ${'*a '.repeat(1_000)}`

const MARKDOWN = `# A heading
Some **bold** text, \`code\`, a [link](https://example.org/) and mail@example.org.

| left | right |
| :--- | ----: |
| 1    |     2 |

| file                                        | lines | fix |
| :------------------------------------------ | ----: | --: |
| src/terminal/drawing/theme.ts, as it was now | 1204  |  12 |

\`\`\`js
if (a < b && c > d) console.log("</code></pre>")
\`\`\`

> quoted

1. one
2. two`

const as = async (words: readonly string[], input?: string): Promise<string> => {
  const { stdout, stderr, exitCode } = await stage.as('rhea', words, input === undefined ? {} : { input })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

/** A room in which all kinds of things happened. */
async function fillRoom(name: string): Promise<void> {
  await as(['create', name])
  await as(['topic', name, 'builds <b>and</b> tests'])
  for (const text of [MARKDOWN, ...HOSTILE]) await as(['say', name], text)
  await as(['me', name, 'waves <b>'])
  await as(['react', name, '👍'])
  await as(['run', name, 'calculator', '{"expression":"1+"}']).catch(() => {})
  stage.models.play(says(LONG_WORD))
  await as(['ask', name, '@qwen', 'say x'])
  stage.models.play(
    calls('calculator', { expression: '6*7', precision: 3 }),
    says([MARKDOWN, ...HOSTILE, DEEP].join('\n\n')),
  )
  await as(['ask', name, '@qwen', 'what is <i>6*7</i>?'])
}

beforeAll(async () => {
  if (lacks('chromium')) return
  axe = await readFile(axeFile, 'utf8')
  browser = await openBrowser()
  stage = await createModelStageHere(`
context_window = 60000

[limits]
rate_burst = 1000
`)
  await stage.claim('rhea')
  await fillRoom('den')
}, 120_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await stage?.[Symbol.asyncDispose]()
})

const PAGES = {
  export: () => as(['export', 'den', '--html']),
  wrap: () => as(['wrap', 'den', '@qwen', '--html']),
  turn: () => as(['turn', 'den', 'last', '--html']),
} as const
type PageName = keyof typeof PAGES
const pages = new Map<PageName, Promise<string>>()
const pageOf = (name: PageName): Promise<string> => {
  const page = pages.get(name) ?? PAGES[name]()
  pages.set(name, page)
  return page
}

/** Each width and each scheme; for people who look, all of both. */
const LOOKS: readonly Look[] = [
  { width: 400, scheme: 'light' },
  { width: 1200, scheme: 'dark' },
  ...(process.env['SCREENSHOTS']
    ? ([
        { width: 400, scheme: 'dark' },
        { width: 1200, scheme: 'light' },
      ] as const)
    : []),
]

const cases = (Object.keys(PAGES) as PageName[]).flatMap((name) => LOOKS.map((look) => ({ name, ...look })))

describe.skipIf(lacks('chromium'))('a page', () => {
  test.each(cases)(
    'the page $name fits $width pixels, $scheme, runs no script and passes axe-core',
    async ({ name, ...look }) => {
      const html = await pageOf(name)
      expect(html).toMatch(/^<!doctype html>/)
      expect(html).toMatch(/<\/html>\n$/)
      expect(html).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
      await browser.look(html, look, async ({ page, requests, complaints }) => {
        const overflow = () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        const title = await page.title()
        await shoot(page, `${name}-${look.width}-${look.scheme}`)
        expect(await violations(page, axe)).toEqual([])
        expect(await overflow()).toBeLessThanOrEqual(0)
        await page.evaluate(() => {
          for (const one of document.querySelectorAll('details')) one.open = true
        })
        await shoot(page, `${name}-${look.width}-${look.scheme}-open`)
        expect(await violations(page, axe)).toEqual([])
        expect(await overflow()).toBeLessThanOrEqual(0)
        const made = await page.evaluate(() => ({
          pwned: 'pwned' in globalThis,
          foreign: [
            ...document.querySelectorAll('script, iframe, img, link, base, object, embed, form, input'),
          ].length,
          handlers: [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
            [...attributes].map((one) => one.name).filter((one) => one.startsWith('on')),
          ),
          styles: document.querySelectorAll('style').length,
          inline: document.querySelectorAll('[style]').length,
          links: [...document.querySelectorAll('a')].map(({ href, rel, protocol }) => ({
            href,
            rel,
            protocol,
          })),
        }))
        expect(made).toMatchObject({ pwned: false, foreign: 0, handlers: [], styles: 1, inline: 0 })
        for (const { href, rel, protocol } of made.links)
          if (!/^file:.*#e-\w+$/.test(href)) {
            expect(protocol).toMatch(/^(https?|mailto):$/)
            expect(rel).toContain('noreferrer')
          }
        expect(await page.title()).toBe(title)
        expect({ requests, complaints }).toEqual({ requests: [], complaints: [] })
      })
    },
  )

  test('the exported page renders Markdown and shows HTML in it as text', async () => {
    await browser.look(await pageOf('export'), LOOKS[0]!, async ({ page }) => {
      const reply = page.locator('article.reply').last()
      expect(await reply.locator('strong').first().textContent()).toBe('bold')
      expect(await reply.locator('table').first().locator('td').allTextContents()).toEqual(['1', '2'])
      expect(await reply.locator('pre code').first().textContent()).toBe(
        'if (a < b && c > d) console.log("</code></pre>")\n',
      )
      expect(await reply.textContent()).toContain(HOSTILE[0])
      expect(await page.locator('p.dim').last().textContent()).toMatch(/^The end: \d+ entries\.$/)
    })
  })

  test('the page of a prompt shows the same texts as /wrap --json', async () => {
    const prompt = JSON.parse(await as(['wrap', 'den', '@qwen', '--json'])) as {
      readonly system_prompt: string
      readonly context: string
      readonly tools: readonly { readonly name: string; readonly tokens: number; readonly form: string }[]
    }
    await browser.look(await pageOf('wrap'), LOOKS[1]!, async ({ page }) => {
      const texts = await page.locator('details > .inside > pre').allTextContents()
      expect(prompt.system_prompt.startsWith(texts[0]!)).toBe(true)
      for (const text of texts.filter((one) => !one.startsWith('{"name"')))
        expect(`${prompt.system_prompt}\n\n${prompt.context}`).toContain(text)
      const summaries = (await page.locator('summary').allTextContents()).join('\n')
      for (const { name, tokens, form } of prompt.tools)
        if (form !== 'deferred') expect(summaries).toContain(`${name}: ${tokens} tokens, ${form}`)
    })
  })

  test('a table on a narrow page does not break words or numbers', async () => {
    await browser.look(await pageOf('export'), LOOKS[0]!, async ({ page }) => {
      for (const text of ['12', 'fix']) {
        const cell = page.locator('.md td, .md th', { hasText: new RegExp(`^${text}$`) }).first()
        const { width = 0 } = (await cell.boundingBox()) ?? {}
        expect(width).toBeGreaterThan(30)
      }
    })
  })

  test('the page of a turn shows the request and the response of each step', async () => {
    const { body } = stage.models.requests.at(-1)!
    await browser.look(await pageOf('turn'), LOOKS[1]!, async ({ page }) => {
      expect(await page.locator('h2').allTextContents()).toEqual(['Step 1', 'Step 2'])
      const texts = await page.locator('pre').allTextContents()
      expect(texts).toContain('{"expression":"6*7","precision":3}')
      expect(texts).toContain(String(body.messages.at(-1)!.content))
      const [system, user] = body.messages.map(({ content }) => String(content))
      const sent = texts.slice(0, texts.indexOf('{"expression":"6*7","precision":3}'))
      for (const text of sent.filter((one) => !one.startsWith('{"name"')))
        expect(`${system}\n\n${user}`).toContain(text)
      expect(sent.some((text) => user!.endsWith(text))).toBe(true)
    })
  })
})

/** For people: `SCREENSHOTS=DIR npx vitest run … test/e2e/pages.test.ts` keeps how each page begins and ends. */
async function shoot(page: Page, name: string): Promise<void> {
  const dir = process.env['SCREENSHOTS']
  if (!dir) return
  await mkdir(dir, { recursive: true })
  const { width, height } = await page.evaluate(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement
    return { width, height }
  })
  const tall = Math.min(height, 1_800)
  for (const [end, y] of [
    ['top', 0],
    ['bottom', height - tall],
  ] as const)
    await page.screenshot({
      path: join(dir, `${name}-${end}.png`),
      fullPage: true,
      clip: { x: 0, y, width, height: tall },
    })
}
