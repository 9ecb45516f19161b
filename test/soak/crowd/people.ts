import { setTimeout as pause } from 'node:timers/promises'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import {
  login,
  openSession,
  runCommand,
  TERMINAL,
  type LoadClient,
  type ScreenShape,
} from '../../support/load/client.ts'
import { keyOf } from '../../support/load/keys.ts'
import { openMessage, ptyMessage, requestMessage } from '../../support/load/ssh-messages.ts'
import { sendMessage } from '../../support/ssh2-client.ts'

/** What happened, so that it can be compared with what was kept. */
export interface Ledger {
  /** Every line that was spoken, once each. */
  readonly said: string[]
  replies: number
  scopes: number
  rooms: number
  /** Readers that were too slow and were thrown out. */
  slow: number
  commands: number
}

export const emptyLedger = (): Ledger => ({ said: [], replies: 0, scopes: 0, rooms: 0, slow: 0, commands: 0 })

/** Somebody who does one thing again and again, until told to stop; everything is closed when it resolves. */
export type Person = (port: number, ledger: Ledger, isOver: () => boolean) => Promise<void>

let lines = 0
const nextLine = (name: string): string => `${name} says number ${lines++}`

/** Comes in, says two lines, and leaves; with a pty or through a pipe. */
export const visitor =
  (name: string, shape: ScreenShape | undefined): Person =>
  async (port, ledger, isOver) => {
    while (!isOver()) await visit(name, port, shape, [nextLine(name), nextLine(name)], ledger)
  }

/** Stays, and says a line now and then. */
export const talker =
  (name: string, everyMs: number): Person =>
  async (port, ledger, isOver) => {
    await using session = await openSession({ port, name, key: keyOf(name) }, TERMINAL, () => undefined)
    while (!isOver()) {
      const line = nextLine(name)
      session.channel.write(`${line}\r`)
      ledger.said.push(line)
      await pause(everyMs)
    }
    session.channel.write('\u0004')
    await leaving(session.ended, name)
  }

/** Runs the commands in turn; `kept` notes what each of them adds. */
export const script =
  (
    name: string,
    commands: () => readonly string[],
    kept: (ledger: Ledger) => void = () => undefined,
  ): Person =>
  async (port, ledger, isOver) => {
    await using client = await login({ port, name, key: keyOf(name) })
    while (!isOver()) {
      for (const line of commands()) {
        const { status, text } = await runCommand(client, line)
        if (status !== 0) throw new Error(`${name}: ${line}: status ${status}: ${text.slice(-500)}`)
        ledger.commands += 1
        kept(ledger)
      }
    }
  }

/** Makes rooms, and says a line in each. */
export const builder =
  (name: string, mostRooms: number): Person =>
  async (port, ledger, isOver) => {
    await using client = await login({ port, name, key: keyOf(name) })
    for (let made = 0; made < mostRooms && !isOver(); made += 1) {
      const room = `room-${ledger.rooms++}-${lines}`
      await runCommand(client, `create ${room}`)
      await visit(name, port, TERMINAL, [`/join ${room}`, nextLine(name)], ledger)
    }
    while (!isOver()) await pause(50)
  }

const SLOW_WINDOW_BYTES = 2000

/** Opens a terminal and never reads more than a little of it, until it is thrown out. */
export const slowReader =
  (name: string): Person =>
  async (port, ledger, isOver) => {
    while (!isOver()) {
      await using client = await login({ port, name, key: keyOf(name) })
      for (const message of [
        openMessage('session', 0, SLOW_WINDOW_BYTES, 32_768),
        ptyMessage(0, 80, 24),
        requestMessage(0, 'shell', true),
      ])
        sendMessage(client.ssh, message)
      while (!isOver() && (await isOpenAfter(client, 200)));
      if (!isOver()) ledger.slow += 1
    }
  }

const isOpenAfter = (client: LoadClient, ms: number): Promise<boolean> =>
  Promise.race([pause(ms, true), client.closed.then(() => false)])

async function visit(
  name: string,
  port: number,
  shape: ScreenShape | undefined,
  typed: readonly string[],
  ledger: Ledger,
): Promise<void> {
  const seen = createDeferred<void>()
  await using session = await openSession({ port, name, key: keyOf(name) }, shape, (bytes) => {
    if (bytes.includes('lobby')) seen.resolve()
  })
  await Promise.race([seen.promise, session.ended])
  for (const line of typed) {
    session.channel.write(`${line}${shape ? '\r' : '\n'}`)
    if (!line.startsWith('/')) ledger.said.push(line)
  }
  if (shape) session.channel.write('\u0004')
  else session.channel.end()
  await leaving(session.ended, name)
}

async function leaving(ended: Promise<number | undefined>, name: string): Promise<void> {
  const status = await ended
  if (status !== 0) throw new Error(`${name}'s session ended with status ${status}`)
}
