import { randomInt } from 'node:crypto'
import type { SshSession } from './ssh.ts'
import type { Stage } from './stage.ts'

/** What became of the lines that people said while something happened to the server's storage. */
export type TalkReport = Awaited<ReturnType<typeof talkThrough>>

const SPEAKERS = ['alice', 'bob', 'carol']

/** Lines that are said between one trouble and the next, at most. */
const BETWEEN = 15

/**
 * Three people stay in their sessions and speak, each as soon as they know what became of their last line, while `troubles` happen.
 * All lines have `word`, which nobody said before.
 */
export async function talkThrough(stage: Stage, word: string, troubles: readonly (() => Promise<void>)[]) {
  const sessions = await Promise.all(SPEAKERS.map((name) => stage.open(name, '-T')))
  // In trouble nobody comes in.
  await Promise.all(sessions.map((session) => session.waitFor('-- lobby')))
  const said = { lines: 0, isOver: false, more: () => {} }
  const speaking = sessions.map((session, at) =>
    speak(
      session,
      { name: SPEAKERS[at]!, word },
      () => said.isOver,
      () => {
        said.lines += 1
        said.more()
      },
    ),
  )
  const anotherLines = (count: number): Promise<void> => {
    const wanted = said.lines + count
    return new Promise((resolve) => (said.more = () => void (said.lines >= wanted && resolve())))
  }
  for (const trouble of troubles) {
    await anotherLines(randomInt(1, BETWEEN))
    await trouble()
  }
  await anotherLines(BETWEEN)
  said.isOver = true
  const outcomes = (await Promise.all(speaking)).flat()
  for (const session of sessions) session.close()
  const statuses = await Promise.all(sessions.map(({ exit }) => exit))
  if (statuses.some((status) => status !== 0))
    throw new Error(`somebody was thrown out: ${statuses.join(', ')}`)
  return {
    /** The lines that each session showed, in its order. */
    shown: sessions.map((session) => shownIn(session, word)),
    /** Lines whose speakers were told that they are not stored. */
    refused: outcomes.filter(({ told }) => told !== undefined && !isUnknown(told)).map(({ line }) => line),
    /** Lines whose speakers were told that nobody knows. */
    unknown: outcomes.filter(({ told }) => told !== undefined && isUnknown(told)).map(({ line }) => line),
    /** All that people were told of lines that were not shown. */
    told: new Set(outcomes.flatMap(({ told }) => told ?? [])),
  }
}

const isUnknown = (told: string): boolean => told.includes('look whether it was stored')

/** A line, and what its speaker was told in the place of it. */
interface Outcome {
  readonly line: string
  readonly told?: string
}

async function speak(
  session: SshSession,
  { name, word }: { readonly name: string; readonly word: string },
  isOver: () => boolean,
  onLine: () => void,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  while (!isOver()) {
    const line = `${name}-${word}-${outcomes.length}`
    const from = session.output().length
    const outcome = new RegExp(`^${name}: ${line}\r?\n|^! (?<told>not (?:stored|read): .*?)\r?\n`, 'm')
    session.write(`${line}\n`)
    await session.waitFor(outcome, from)
    const told = outcome.exec(session.output().slice(from))?.groups?.['told']
    outcomes.push(told === undefined ? { line } : { line, told })
    onLine()
  }
  return outcomes
}

const shownIn = (session: SshSession, word: string): readonly string[] =>
  [...session.output().matchAll(/^\w+: (\w+-(\w+)-\d+)\r?\n/gm)].flatMap(([, line = '', its]) =>
    its === word ? line : [],
  )
