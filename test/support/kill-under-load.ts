import { paths } from '../../src/base/paths.ts'
import { randomInt } from 'node:crypto'
import { checkDatabase } from '../../src/storage/open.ts'
import type { RoomName } from '../../src/words/entry.ts'
import { createStage, type Stage } from './stage.ts'
import type { SshSession } from './ssh.ts'
import { openStored, locationOf } from './stored.ts'

/** What people saw of a server that was killed again and again, and what it had stored. */
export type KillReport = Awaited<ReturnType<typeof killUnderLoad>>

const SPEAKERS = ['alice', 'bob', 'carol']

/** Lines that a speaker sends ahead of those that were shown to them. */
const AHEAD = 8

/** Nobody is slowed down. */
const CONFIG = '[limits]\nrate_burst = 1000000\nrate_per_s = 100000\n'

/** Starts the built server so many times, lets people speak at once as fast as it goes, and kills it at a random moment. */
export async function killUnderLoad(kills: number) {
  await using stage = await createStage({ config: CONFIG })
  const shown: (readonly string[])[] = []
  for (let life = 0; life < kills; life++) {
    shown.push(...(await liveOnce(stage, life)))
    await stage.restart('SIGKILL')
  }
  await stage.server.stop('SIGKILL')
  const { dataDir } = stage.server
  await using storage = await openStored(dataDir)
  const entries = await storage.chat.entries.read('lobby' as RoomName, { limit: 1e6, kinds: ['message'] })
  return {
    /** The lines that each session showed, in its order. */
    shown,
    /** The lines of the log, in its order. */
    stored: entries.map(({ text }) => text),
    /** What is wrong with the database; undefined where nothing is. */
    damage: await checkDatabase(await locationOf(dataDir), paths.migrations),
  }
}

/** One life of the server; resolves to what each session showed until it was cut off. */
async function liveOnce(stage: Stage, life: number): Promise<readonly (readonly string[])[]> {
  const sessions = await Promise.all(SPEAKERS.map((name) => stage.open(name, '-T')))
  let isAlive = true
  const fate = randomInt(1, 60)
  const count = { shown: 0 }
  const dies = new Promise<void>((resolve) => {
    for (const session of sessions)
      session.child.stdout.on('data', () => {
        count.shown = linesOf(session, life).length
        if (count.shown >= fate) resolve()
      })
  })
  const speaking = sessions.map((session, at) => speak(session, `${SPEAKERS[at]}-${life}`, () => isAlive))
  await dies
  // Somewhere within a commit or two.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
  stage.server.process.kill('SIGKILL')
  isAlive = false
  await Promise.all([...speaking, ...sessions.map(({ exit }) => exit)])
  return sessions.map((session) => shownIn(session))
}

/** Sends numbered lines, never more than a few ahead of what was shown. */
async function speak(session: SshSession, name: string, isAlive: () => boolean): Promise<void> {
  for (let n = 0; isAlive(); n++) {
    session.write(`${name}-${n}\n`)
    if (n < AHEAD) continue
    const wanted = `: ${name}-${n - AHEAD}\n`
    if (!(await session.waitFor(wanted).then(Boolean, () => false))) return
  }
}

const linesOf = (session: SshSession, life: number): readonly string[] =>
  shownIn(session).filter((line) => line.split('-')[1] === String(life))

/** Only whole lines: the last may have been cut off. */
const shownIn = (session: SshSession): readonly string[] =>
  [...session.output().matchAll(/^\w+: (\w+-\d+-\d+)\r?\n/gm)].map(([, line = '']) => line)
