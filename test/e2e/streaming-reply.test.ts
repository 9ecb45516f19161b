import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { openSession } from '../support/load/client.ts'
import { longReply } from '../support/long-reply.ts'
import { streams } from '../support/model-server.ts'
import { allWords, numberedWord, wordsIn } from '../support/numbered-markdown.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'
import { createEmulator } from '../support/terminal.ts'

const TOKEN_UNITS = 4
const TOKENS_PER_S = 200
/** A key every 120 ms. */
const TOKENS_A_KEY = 24
const ROWS = 24
const TYPED = 'what somebody types meanwhile '
const CLEAR = '\u0015'

/** Somebody at a terminal of this size, over SSH, whose draft is looked at whenever something has come. */
async function openTypist(stage: ModelStage<AnyServer>, name: string, columns: number) {
  const emulator = createEmulator(columns, ROWS)
  // A character may be cut between two packets: the emulator takes text.
  const decoder = new TextDecoder()
  const watchers = new Set<() => void>()
  const torn: string[] = []
  let [typed, cleared, bytes] = ['', '', 0]
  let isLookedAt = false
  let writing: Promise<void> = Promise.resolve()

  /** The draft of now, or the beginning of it that has been echoed; or that of before it was cleared. */
  function look(): void {
    const row = emulator.screen().at(-1) ?? ''
    const shown = row.startsWith('>') ? row.slice(2) : undefined
    const isDraft = shown !== undefined && (typed.startsWith(shown) || cleared.startsWith(shown))
    if (isLookedAt && !isDraft) torn.push(emulator.screen().join('\n'))
    for (const watcher of watchers) watcher()
  }

  const key = await readFile(await stage.home.key(name), 'utf8')
  const shape = { columns, rows: ROWS, term: 'xterm-256color' }
  const session = await openSession({ port: stage.server.port, name, key }, shape, (chunk) => {
    bytes += chunk.length
    const text = decoder.decode(chunk, { stream: true })
    writing = writing.then(() => emulator.write(text)).then(look)
  })
  const shows = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watcher = (): void => {
        if (!isSo()) return
        watchers.delete(watcher)
        resolve()
      }
      watchers.add(watcher)
      watcher()
    })
  const hasDraft = (): boolean => emulator.screen().at(-1) === `> ${typed}`.trimEnd()
  await shows(hasDraft)
  isLookedAt = true
  return {
    emulator,
    torn,
    shows,
    hasDraft,
    bytes: () => bytes,
    type(): void {
      if (typed.length > 30) {
        cleared = typed
        typed = ''
        return void session.channel.write(CLEAR)
      }
      const letter = TYPED[typed.length % TYPED.length] ?? ''
      typed += letter
      session.channel.write(letter)
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

test.each([40, 120])(
  'a fast reply at %i columns keeps three drafts intact and shows each word once',
  async (columns) => {
    const { text, words } = longReply()
    const count = Math.ceil(text.length / TOKEN_UNITS)
    await using stage = await createModelStageHere('context_window = 65536\nmax_output = 32768\n', {
      isShared: true,
    })
    await using ann = await openTypist(stage, 'ann', columns)
    await using bob = await openTypist(stage, 'bob', columns)
    await using cy = await openTypist(stage, 'cy', columns)
    const people = [ann, bob, cy]
    const everybody = (isSo: (person: (typeof people)[number]) => boolean) =>
      Promise.all(people.map((person) => person.shows(() => isSo(person))))
    const has = (pattern: RegExp) => everybody(({ emulator }) => pattern.test(emulator.all().join('\n')))

    // What typing alone costs.
    const quiet = people.map(({ bytes }) => bytes())
    for (let keys = 0; keys < count / TOKENS_A_KEY; keys++) {
      for (const person of people) person.type()
      await everybody((person) => person.hasDraft())
    }
    const typing = people.map(({ bytes }, index) => bytes() - (quiet[index] ?? 0))

    const isSeen = createDeferred<void>()
    const stream = streams(count, 1_000 / TOKENS_PER_S, (number) => {
      if (number % TOKENS_A_KEY === 0) for (const person of people) person.type()
      return text.slice(number * TOKEN_UNITS, (number + 1) * TOKEN_UNITS)
    })
    stage.models.play(async (response, request) => {
      await isSeen.promise
      await stream(response, request)
    })
    await stage.as('dee', ['say', 'lobby', '@qwen tell us all of it'])
    await has(/@qwen tell us all/)
    const before = people.map(({ bytes }) => bytes())
    isSeen.resolve()
    await has(new RegExp(`\\b${numberedWord(words - 1)}\\b[^]*\\n.*-- \\d[^]*\\nlobby · `))
    await everybody((person) => person.hasDraft())

    for (const { emulator, torn } of people) {
      expect(torn).toEqual([])
      expect(wordsIn(emulator.all().join('\n'))).toEqual(allWords(words))
    }
    const factors = people.map(
      ({ bytes }, index) => (bytes() - (before[index] ?? 0) - (typing[index] ?? 0)) / Buffer.byteLength(text),
    )
    expect(Math.max(...factors)).toBeLessThanOrEqual(2)
  },
)
