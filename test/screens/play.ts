import { setTimeout as pause } from 'node:timers/promises'
import { startModelServer } from '../support/model-server.ts'
import { createModelStage, type Stage } from '../support/stage.ts'
import { sandboxConfig } from '../support/needs.ts'
import { asciicast } from './cast.ts'
import { openRecorded, type RecordedTerminal } from './recorded-terminal.ts'
import { FIRST_MINUTE, type Scene, writeFiles } from './scenes.ts'
import type { ScreenRow, ScreenTheme } from './screen.ts'
import { steadyScreen } from './steady.ts'

export interface PlayedScene {
  readonly name: string
  readonly title: string
  readonly theme: ScreenTheme
  readonly rows: readonly ScreenRow[]
}

const SIZE = { columns: 88, rows: 26, theme: 'dark' as ScreenTheme }
/** A phone's. */
const SMALL = { columns: 40, rows: 24, theme: 'dark' as ScreenTheme }
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
  const options = ['-tt', '-o', `SetEnv=SSHAWL_THEME=${size.theme}`, '-o', 'LogLevel=ERROR']
  return openRecorded({ user: name, port: stage.server.port, key, options }, size)
}

const secondModel = (endpoint: string): string => `
[[models]]
name = "gpt"
backend = "openai-compatible"
model = "gpt-4"
endpoint = "${endpoint}/v1"
context_window = 16000
`

/** Plays all scenes over SSH, each on a built server of its own. */
export async function playScenes(scenes: readonly Scene[]): Promise<readonly PlayedScene[]> {
  const played: PlayedScene[] = []
  for (const scene of scenes) {
    const { name, title, theme = 'dark' } = scene
    played.push({ name, title, theme, rows: await playScene(scene) })
  }
  return played
}

async function playScene(scene: Scene): Promise<readonly ScreenRow[]> {
  const { play, columns = SIZE.columns, theme = SIZE.theme, hasTwoModels } = scene
  await using other = await startModelServer()
  const second = hasTwoModels ? secondModel(other.endpoint) : ''
  await using stage = await createModelStage(`context_window = 16000\n\n${second}${sandboxConfig}`)
  await stage.claim('ann')
  await stage.as('ann', ['topic', 'lobby', 'builds and tests'])
  const terminals: RecordedTerminal[] = []
  try {
    const drawn = await play({
      stage,
      other,
      async comesIn(name) {
        const terminal = await open(stage, name, { columns, rows: SIZE.rows, theme })
        terminals.push(terminal)
        await terminal.shows(/\/help\s+lists\s+the\s+commands/)
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
