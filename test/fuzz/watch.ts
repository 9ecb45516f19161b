import { setTimeout as pause } from 'node:timers/promises'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { login, runCommand, type LoadClient } from '../support/load/client.ts'
import { keyOf } from '../support/load/keys.ts'
import { residentKiB } from '../support/load/process-figures.ts'
import type { Server } from '../support/server.ts'
import { Trouble } from './trouble.ts'

/** Nobody may wait longer for an answer, however busy the machine is. */
const STUCK_MS = 10_000

/** Far more than a server with a handful of clients needs. */
const MAX_MIB = 700

const EVERY_MS = 100
const LOGINS_EVERY = 20

/** How somebody else fares meanwhile: asks the server something all the time, now and then on a new connection. */
export function watchServer({ port, process: child, stderr }: Server) {
  const broken = createDeferred<never>()
  broken.promise.catch(() => undefined)
  const answers: number[] = []
  let largest = 0
  let isOver = false
  let lastAt = performance.now()
  const over = (): boolean => isOver
  const fail = (error: unknown): void => {
    if (!isOver) broken.reject(error)
    isOver = true
  }
  child.once('exit', (code, signal) => {
    fail(new Trouble(`the server ended (${code ?? signal})`, stderr().slice(-4000)))
  })
  const target = { port, name: 'watcher', key: keyOf('watcher') }
  let client: LoadClient | undefined
  async function look(): Promise<void> {
    for (let round = 0; !over(); round += 1) {
      const start = performance.now()
      if (round % LOGINS_EVERY === 0) {
        await client?.[Symbol.asyncDispose]()
        client = await login(target)
      }
      if (client) await runCommand(client, 'whoami').catch(notServed)
      lastAt = performance.now()
      answers.push(lastAt - start)
      const mib = (await residentKiB(child.pid!)) / 1024 || 0
      largest = Math.max(largest, mib)
      if (mib > MAX_MIB) throw new Trouble(`the server grew over ${MAX_MIB} MiB`)
      await pause(EVERY_MS)
    }
  }
  const guard = setInterval(() => {
    if (performance.now() - lastAt > STUCK_MS)
      fail(new Trouble(`the server answered nobody for ${STUCK_MS / 1000} s`))
  }, EVERY_MS)
  look().catch(fail)
  return {
    /** Rejects when the server is of no more use: it ended, answers nobody, or grew out of bounds. */
    broken: broken.promise,
    /** How long `whoami` took, in ms, each time. */
    answers,
    /** The most resident memory that was seen, in MiB. */
    largestMiB: (): number => largest,
    /** Whether it is over: what is seen from now on is no fault of the server. */
    isOver: over,
    /** Resolves once it has been answered what it asked from now on, or all is over. */
    async lookAgain() {
      // The next answer may be to a question of before.
      const enough = answers.length + 2
      while (answers.length < enough && !over()) await pause(EVERY_MS / 2)
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      clearInterval(guard)
      await client?.[Symbol.asyncDispose]()
    },
  }
}

function notServed(error: Error): never {
  throw new Trouble(`the watcher was not served: ${error.message}`)
}
