import { setTimeout as pause } from 'node:timers/promises'
import { createModelStage, type Stage } from '../support/stage.ts'
import { sandboxConfig } from '../support/needs.ts'
import { asciicast } from './cast.ts'
import { openRecorded, type RecordedTerminal } from './recorded-terminal.ts'
import { FIRST_MINUTE, SCENES, type Scene, writeFiles } from './scenes.ts'
import type { ScreenRow } from './screen.ts'
import { steadyScreen } from './steady.ts'

export interface PlayedScene {
  readonly name: string
  readonly title: string
  readonly rows: readonly ScreenRow[]
}

const SIZE = { columns: 88, rows: 26 }
/** A phone's. */
const SMALL = { columns: 40, rows: 24 }
const TITLE = 'The first minute in sshawl'

const KEY_MS = 45
/** Whoever looks at the recording reads what came. */
const READING_MS = 1_500

async function typeLine(terminal: RecordedTerminal, line: string): Promise<void> {
  for (const key of line) {
    terminal.type(key)
    await pause(KEY_MS)
  }
  terminal.type('\r')
}

async function open(stage: Stage, name: string, size = SIZE): Promise<RecordedTerminal> {
  const key = await stage.home.key(name)
  const options = ['-tt', '-o', 'SetEnv=SSHAWL_THEME=dark', '-o', 'LogLevel=ERROR']
  return openRecorded({ user: name, port: stage.server.port, key, options }, size)
}

/** Plays all scenes over SSH, each on a built server of its own. */
export async function playScenes(): Promise<readonly PlayedScene[]> {
  const played: PlayedScene[] = []
  for (const scene of SCENES)
    played.push({ name: scene.name, title: scene.title, rows: await playScene(scene) })
  return played
}

async function playScene({ play }: Scene): Promise<readonly ScreenRow[]> {
  await using stage = await createModelStage(`context_window = 16000\n\n${sandboxConfig}`)
  await stage.claim('ann')
  await stage.as('ann', ['topic', 'lobby', 'builds and tests'])
  const terminals: RecordedTerminal[] = []
  try {
    const drawn = await play({
      stage,
      async comesIn(name) {
        const terminal = await open(stage, name)
        terminals.push(terminal)
        await terminal.shows('/help lists the commands')
        await terminal.settles()
        return terminal
      },
      async enter(terminal, line, shows) {
        await typeLine(terminal, line)
        await terminal.shows(shows)
      },
    })
    await drawn.settles()
    return steadyScreen(drawn.screen())
  } finally {
    for (const terminal of terminals) await terminal[Symbol.asyncDispose]()
  }
}

/** Plays the first minute of a newcomer; what came is the recording. */
export async function playFirstMinute(): Promise<string> {
  await using stage = await createModelStage(`context_window = 16000\n\n${sandboxConfig}`)
  await stage.claim('ann')
  await stage.as('ann', ['topic', 'lobby', 'say hello'])
  await writeFiles(stage, { 'notes.md': 'tea at four\nmend the flush test\n' })
  await using bob = await open(stage, 'bob', SMALL)
  await bob.shows('/help lists')
  await bob.settles()
  await pause(READING_MS)
  for (const { line, shows, plays = [] } of FIRST_MINUTE) {
    stage.models.play(...plays)
    await typeLine(bob, line)
    await bob.shows(shows)
    await bob.settles()
    await pause(READING_MS)
  }
  return asciicast(bob.output, { ...SMALL, title: TITLE })
}
