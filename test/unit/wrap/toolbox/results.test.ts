import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RoomName } from '../../../../src/words/entry.ts'
import { cleanText } from '../../../../src/base/text/clean-text.ts'
import { fdToFile, readFd } from '../../../../src/tools/builtin/long-results.ts'
import type { Workspace } from '../../../../src/tools/workspace.ts'
import { failed, ok, type ToolResult } from '../../../../src/tools/results/result.ts'
import {
  allowanceFor,
  presentResult,
  MAX_PAGE_CHARS,
  type ResultFacts,
} from '../../../../src/wrap/toolbox/results.ts'
import { call, say, scriptedModel } from '../../../support/scripted-model.ts'
import { openInMemory, room } from '../../../support/storage.ts'
import { createTurnWorld, tool } from '../../../support/turn-world.ts'
import { contextFor } from '../../tools/context.ts'
import { callTool } from '../../../support/call-tool.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const lobby = 'lobby' as RoomName

/** A page without the line about it. */
const pageOf = (content: string): string => content.slice(0, content.lastIndexOf('\n'))
const noteOf = (content: string): string => content.slice(content.lastIndexOf('\n') + 1)

/** Two rooms with a store, and the tools that read it. */
async function rooms() {
  const {
    chat: { rooms },
    tools: { results },
  } = await openInMemory()
  await rooms.create(room('lobby', {}))
  await rooms.create(room('den', {}))
  const facts: ResultFacts = {
    room: lobby,
    tool: 'Grep',
    allowance: { pageSize: 100, maxPageSize: 1000 },
    canRead: true,
  }
  const present = (result: ToolResult, change: Partial<ResultFacts> = {}) =>
    presentResult(result, { ...facts, ...change }, { results, clock: { now: () => 5 } })
  const read = (fd: unknown, page: unknown, where: RoomName = lobby) =>
    readFd(results).run({ fd, page }, { ...contextFor({} as Workspace), room: where })
  return { results, present, read }
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '👨‍👩‍👧‍👦',
        '🇩🇪',
        'e\u0301\u0323',
        '{"a":1}',
        '\u001b[2J',
        '1️⃣',
        '\uD83D',
        'x'.repeat(90),
      ),
      fc.string({ unit: anyCharacter, maxLength: 30 }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''))

it('the pages of a long result join to the whole sanitized text', async () => {
  const { present, read } = await rooms()
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), fc.integer({ min: 20, max: 200 }), async (raw, wrong, pageSize) => {
      const whole = cleanText(raw)
      const first = await present(wrong ? failed(raw) : ok(raw), {
        allowance: { pageSize, maxPageSize: 1000 },
      })
      const expected = wrong ? cleanText(failed(raw).content) : whole
      if (expected.length <= pageSize) {
        expect(first.content).toBe(expected)
        return
      }
      const [, count, fd] = /page 1 of (\d+) of (fd:\d+)/.exec(noteOf(first.content))!
      const pages = [pageOf(first.content)]
      for (let page = 2; page <= Number(count); page++) {
        const { content, isPage } = await read(fd, page)
        expect(isPage).toBe(true)
        pages.push(pageOf(content))
      }
      expect(pages.join('')).toBe(expected)
      expect(pageOf((await read(fd, 1)).content)).toBe(pages[0])
    }),
    { numRuns: runs(300) },
  )
})

it('a page of a result shows its number and the call for the next page, or the end', async () => {
  const { present, read } = await rooms()
  const first = await present(ok('x'.repeat(250)))
  expect(noteOf(first.content)).toBe(
    '[page 1 of 3 of fd:1, which Grep gave, 250 characters in all; go on with read_fd {"fd":"fd:1","page":2}]',
  )
  expect(noteOf((await read('fd:1', 3)).content)).toBe(
    '[page 3 of 3 of fd:1, which Grep gave, 250 characters in all; this is the end]',
  )
})

it('the first page of an erroneous result is still an error', async () => {
  const { present, read } = await rooms()
  const first = await present(ok(`ERROR: ${'x'.repeat(250)}`))
  expect(first).toMatchObject({ isError: true, content: expect.stringMatching(/^ERROR: x/) as unknown })
  expect((await read('fd:1', 1)).isError).toBe(false)
})

it('a result over the size limit is stored truncated with a notice', async () => {
  const { present, results } = await rooms()
  await present(ok('x'.repeat(5_000_000)))
  const kept = await results.find(lobby, 1)
  expect(kept!.text).toHaveLength(
    2_000_000 + '\n[cut here: 5000000 characters came, and no more than 2000000 are kept]'.length,
  )
  expect(kept!.text).toMatch(/x\n\[cut here: 5000000 characters came, and no more than 2000000 are kept\]$/)
})

it('a result from outside that begins with ERROR is not an error', async () => {
  const { present } = await rooms()
  const result = { ...ok('ERROR: obey'), outside: { from: 'page', head: 0, tail: 0 } }
  expect(await present(result)).toEqual(result)
})

it.each([
  ['fd:0', 1, /fd: write it as "fd:3", got "fd:0"/],
  ['den/fd:1', 1, /fd: write it as "fd:3"/],
  ['fd:1; x', 1, /fd: write it as "fd:3"/],
  ['9'.repeat(40), 1, /fd: write it as "fd:3"/],
  [null, 1, /fd is required/],
  ['fd:1', 0, /page must be at least 1, got 0/],
  ['fd:1', 4, /page must be at most 3, got 4/],
  ['fd:1', 1e300, /page must be/],
  ['fd:1', 'all', /page must be an integer/],
])('read_fd refuses fd %j and page %j with a helpful sentence', async (fd, page, message) => {
  const { present, read } = await rooms()
  await present(ok('x'.repeat(250)))
  const { content, isError } = await read(fd, page)
  expect(isError).toBe(true)
  expect(content).toMatch(/^ERROR: read_fd: /)
  expect(content).toMatch(message)
})

it('fd_to_file writes a result only after a permission request that shows it', async () => {
  const { present, results } = await rooms()
  const whole = `first line\n${'x'.repeat(4000)}`
  await present(ok(whole))
  const written: string[] = []
  const workspace = {
    checkChange: async () => undefined,
    changeText: async (path: string, change: (old: string | undefined) => string) => {
      written.push(`${path}: ${change(undefined)}`)
      return { created: true }
    },
  } as unknown as Workspace
  const save = { fd: 'fd:1', file_path: 'out.txt' }
  const refusing = contextFor(workspace, 'deny')
  expect((await callTool(fdToFile(results), save, refusing)).content).toBe(
    "ERROR: Permission denied: write fd:1 to 'out.txt'?",
  )
  expect(written).toEqual([])
  expect(refusing.asked[0]).toMatchObject({ access: 'write', target: 'fd:1 out.txt' })
  expect(refusing.asked[0]!.detail).toContain('all 4011 characters of fd:1, which Grep gave')
  expect(refusing.asked[0]!.detail).toContain('first line')
  expect((await callTool(fdToFile(results), save, contextFor(workspace))).isError).toBe(false)
  expect(written).toEqual([`out.txt: ${whole}`])
})

it('a model reads a long result through read_fd, whose own result is not paged again', async () => {
  const whole = Array.from({ length: 3000 }, (_, line) => `line ${line} 😀`).join('\n')
  const model = scriptedModel(
    call(['long', {}]),
    call(['read_fd', { fd: 'fd:1', page: 2 }]),
    call(['read_fd', { fd: 'fd:1', page: 3 }]),
    call(['read_fd', { fd: 'fd:1', page: 4 }]),
    call(['read_fd', { fd: 'fd:1', page: 5 }]),
    say('ok'),
  )
  const settings = { contextWindow: 100_000 }
  await using world = await createTurnWorld(model, { tools: [tool('long', () => ok(whole))], settings })
  world.tools.push(readFd(world.chatParts.storage.tools.results))
  await world.ask()
  const answers = model.requests.at(-1)!.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  const pages = answers.filter((answer) => answer.includes('of fd:1,')).map(pageOf)
  expect(pages.join('')).toBe(whole)
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(MAX_PAGE_CHARS)
  const log = await world.log()
  const results = log.filter((entry) => entry.kind === 'tool_result').map((entry) => entry.text)
  expect(results).toEqual(answers)
})

it('a model gets pages of an outside result between marks that are not stored', async () => {
  const whole = Array.from({ length: 900 }, (_, line) => `line ${line}: obey`).join('\n')
  const outside = { from: 'server "files"', head: 0, tail: 0 }
  const model = scriptedModel(
    call(['long', {}]),
    call(['read_fd', { fd: 'fd:1', page: 2 }], ['short', {}]),
    say('ok'),
  )
  await using world = await createTurnWorld(model, {
    tools: [
      tool('long', () => ({ ...ok(whole), outside })),
      tool('short', () => ({ ...failed('no\nERROR: obey'), outside: { ...outside, head: 1 } })),
    ],
    settings: { contextWindow: 100_000 },
  })
  const { results } = world.chatParts.storage.tools
  world.tools.push(readFd(results))
  await world.ask()
  const read = model.requests.at(-1)!.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  const FENCED =
    /^(ERROR: no\n)?Between the two marks is what the server "files" says\. .*\n<<<(server "files" \w{8})>>>\n([^]*)\n<<<end of \2>>>(\n\[page \d of \d of fd:1, [^]*)?$/
  expect(read).toHaveLength(3)
  for (const one of read) expect(one).toMatch(FENCED)
  expect((await results.find(lobby, 1))?.text).toBe(whole)
  const log = (await world.log()).flatMap((entry) => (entry.kind === 'tool_result' ? [entry] : []))
  expect(log.map(({ text }) => text)).toEqual(
    read.map((one) => one.replace(FENCED, (...[, head = '', , body, tail = '']) => `${head}${body}${tail}`)),
  )
  expect(log[2]).toMatchObject({ bytes: 'ERROR: no\nERROR: obey'.length, isError: true })
})

it('a model with a small window gets small pages and answers after many of them', async () => {
  const asks = Array.from({ length: 8 }, (_, page) => call(['read_fd', { fd: '1', page: page + 2 }]))
  const model = scriptedModel(call(['long', {}]), ...asks, say('ok'))
  await using world = await createTurnWorld(model, {
    tools: [tool('long', () => ok('word '.repeat(5000)))],
    settings: { contextWindow: 5000, maxOutput: 500 },
  })
  world.tools.push(readFd(world.chatParts.storage.tools.results))
  expect(await world.ask()).toMatchObject({ kind: 'reply', text: 'ok' })
  const [first] = model.requests[1]!.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  expect(pageOf(first!).length).toBeLessThan(MAX_PAGE_CHARS / 2)
  const answers = model.requests.at(-1)!.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  expect(answers).toContainEqual(expect.stringMatching(/^ERROR: this page does not fit/))
})

it.each([
  [100_000, 8000],
  [4000, 3000],
  [0, 400],
  [-500, 400],
])('a model with %i tokens left gets pages of %i characters', (tokens, chars) => {
  expect(allowanceFor(tokens).pageSize).toBe(chars)
})
