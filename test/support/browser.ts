import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'
import { fileOf } from './needs.ts'
import { temporaryDir } from './storage.ts'

export interface Look {
  /** Of the window, in pixels. */
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

/** A page in a browser, with what it did. */
export interface LookedAt {
  readonly page: Page
  /** Addresses that were asked for, besides the page's own. */
  readonly requests: readonly string[]
  /** What the browser complained of: errors of scripts, and what the page's policy forbade. */
  readonly complaints: readonly string[]
}

/** Debian's Chromium without a window. */
export type TestBrowser = Awaited<ReturnType<typeof openBrowser>>

/** Root may not have Chromium's sandbox, and in a container there may be no other user. */
const FLAGS = ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb']

export async function openBrowser() {
  const dir = temporaryDir()
  const executablePath = fileOf('chromium') ?? 'chromium'
  const browser: Browser = await chromium.launch({ executablePath, args: FLAGS })
  let files = 0
  return {
    /** Opens a page as a file, in a profile of its own, and gives it to `use`. */
    async look<T>(html: string, { width, scheme }: Look, use: (seen: LookedAt) => Promise<T>): Promise<T> {
      const file = join(dir.path, `${(files += 1)}.html`)
      await writeFile(file, html)
      const { href } = pathToFileURL(file)
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme })
      try {
        const page = await context.newPage()
        const requests: string[] = []
        const complaints: string[] = []
        page.on('request', (request) => request.url() !== href && requests.push(request.url()))
        page.on('console', (message) => complaints.push(message.text()))
        page.on('pageerror', (error) => complaints.push(error.message))
        page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
        await page.goto(href)
        return await use({ page, requests, complaints })
      } finally {
        await context.close()
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      dir[Symbol.dispose]()
    },
  }
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe-core finds wrong with a page: a line for each rule, with the first place. */
export async function violations(page: Page, source: string): Promise<readonly string[]> {
  await page.evaluate(source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      preload: false,
      resultTypes: ['violations'],
    }),
  )
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ''} (${nodes.length})`)
}

export const axeFile = AXE
