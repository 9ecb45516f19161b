import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Composer, WrapError } from '../../../../src/wrap/ports.ts'
import { hostileScripts, type HostileScript } from '../../../support/hostile-scripts.ts'
import { inRoom, openPool } from '../../../support/pool.ts'
import { lacks } from '../../../support/needs.ts'
import { traceCalls } from '../../../support/system-calls.ts'
import { wrapProcesses } from '../../../support/wrap-processes.ts'

const isSlow = ({ outcome }: HostileScript): boolean => outcome === 'limit' || outcome === 'killed'
const quick = hostileScripts().filter((script) => !isSlow(script))
const escapes = quick.filter(({ title }) => title.startsWith('way-out'))
/** All of them take a minute; `npm run soak` does that, on a whole server. */
const slow = hostileScripts()
  .filter(isSlow)
  .filter((_, index) => index % 6 === 0)

const open = (size: number): Composer => openPool({ size, limits: { timeMs: 60, cpuMs: 400 } })

/** What became of a script, in the words of the corpus. */
async function outcomeOf(composer: Composer, source: string, room: string) {
  try {
    await composer.compose(inRoom(room, source))
    return { outcome: 'harmless', says: '' } as const
  } catch (error) {
    if (!(error instanceof WrapError)) throw error
    const killed = error.message.startsWith('wrap: composing takes longer')
    return { outcome: killed ? 'killed' : error.reason, says: error.message } as const
  }
}

/** On a slow machine a clock may be first that on a fast one is second. */
const asWanted = (wanted: HostileScript['outcome'], got: string): boolean =>
  got === wanted ||
  (wanted === 'limit' && got === 'killed') ||
  (wanted === 'ended' && ['script', 'argument', 'limit', 'killed'].includes(got))

/** Runs them in a few rooms at once; gives what should have ended otherwise. */
async function surprises(composer: Composer, scripts: readonly HostileScript[]): Promise<readonly string[]> {
  const found: string[] = []
  const left = [...scripts]
  const work = async (room: string): Promise<void> => {
    for (let script = left.shift(); script; script = left.shift()) {
      const { outcome, says } = await outcomeOf(composer, script.source, room)
      if (asWanted(script.outcome, outcome) && (outcome === 'killed' || says.includes(script.says))) continue
      found.push(`${script.title} should be ${script.outcome} ${script.says}; it is ${outcome} ${says}`)
    }
  }
  await Promise.all(['one', 'two'].map(work))
  return found
}

const composer = open(2)
afterAll(() => composer[Symbol.asyncDispose]())

test('the corpus of hostile scripts has at least 200 scripts', () => {
  expect(hostileScripts().length).toBeGreaterThanOrEqual(200)
})

test('hostile scripts end as the corpus expects and change no prompt of another room', async () => {
  const before = await composer.compose(inRoom('peaceful'))
  expect(await surprises(composer, quick)).toEqual([])
  expect(await composer.compose(inRoom('peaceful'))).toEqual(before)
})

test('hostile scripts over their limits are ended and change no later prompt of another room', async () => {
  const before = await composer.compose(inRoom('peaceful'))
  expect(await surprises(composer, slow)).toEqual([])
  expect(await composer.compose(inRoom('peaceful'))).toEqual(before)
}, 120_000)

test('a script that stores its input finds nothing of it in the next prompt of its process', async () => {
  const keeps = `
    local own = require("wrap")
    seen = (seen or "") .. (own.seen or "") .. (string.seen or "") .. tools.look().topic
    own.seen, string.seen, tools.look().topic = tools.current_user().name, tools.conversation(3), tools.current_user().name
    function default_wrap(t) return wrap(t):custom("seen", "seen <" .. seen .. ">"):history():user() end`
  const alone = open(1)
  try {
    const ask = async (user: string) => (await alone.compose(inRoom('shared', keeps, user))).context
    const first = await ask('earlier-asker')
    expect(first).toContain('seen <>')
    expect(await ask('later-asker')).toBe(first.replaceAll('earlier-asker', 'later-asker'))
    expect(await ask('earlier-asker')).toBe(first)
  } finally {
    await alone[Symbol.asyncDispose]()
  }
})

test.skipIf(lacks('strace'))(
  'a wrap process opens no file or socket and starts no process while hostile scripts run in it',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sshawl-trace-'))
    const before = await wrapProcesses(process.pid)
    const composer = open(1)
    try {
      await composer.compose(inRoom('warm'))
      const [pid] = (await wrapProcesses(process.pid)).filter((one) => !before.includes(one))
      const trace = join(directory, 'trace')
      await using _tracer = await traceCalls([pid!], trace)
      expect(await surprises(composer, escapes)).toEqual([])
      expect(await wrapProcesses(process.pid)).toContain(pid)
      await composer.compose(inRoom('last'))
      const calls = (await readFile(trace, 'utf8')).match(/^\d+ +\w+\(.*/gm) ?? []
      const isWrite = (call: string): boolean => /^\d+ +write\(/.test(call)
      expect(calls.filter(isWrite).length).toBeGreaterThanOrEqual(escapes.length)
      // The clock of V8 in Node 24 looks for it once, whatever the script is.
      const isClock = (call: string): boolean =>
        / openat\(AT_FDCWD, "\/sys\/devices\/system\/cpu\/cpu0\/tsc_freq_khz", O_RDONLY/.test(call)
      // glibc looks before it first gives memory of a thread back (malloc-sysdep.h, check_may_shrink_heap).
      const isMemory = (call: string): boolean =>
        / openat\(AT_FDCWD, "\/proc\/sys\/vm\/overcommit_memory", O_RDONLY/.test(call)
      const asks = (call: string): boolean => !isWrite(call) && !isClock(call) && !isMemory(call)
      expect(calls.filter(asks)).toEqual([])
    } finally {
      await composer[Symbol.asyncDispose]()
      await rm(directory, { recursive: true })
    }
  },
  60_000,
)
