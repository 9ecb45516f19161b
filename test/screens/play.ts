import { setTimeout as pause } from 'node:timers/promises'
import { createModelStage, createStage, type Stage } from '../support/server.ts'
import { sandboxConfig } from '../support/needs.ts'
import { asciicast } from './cast.ts'
import { openRecorded, type RecordedTerminal } from './recorded-terminal.ts'
import { FIRST_MINUTE, SCENES } from './scenes.ts'
import type { ScreenRow } from './screen.ts'
import { steadyScreen } from './steady.ts'

/** A screen as it was at the end of a scene. */
export interface PlayedScene {
  readonly name: string
  readonly title: string
  readonly rows: readonly ScreenRow[]
}

const SIZE = { columns: 88, rows: 26 }
const TITLE = 'The first minute in sshawl'

/** As somebody types it. */
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

async function open(stage: Stage, name: string): Promise<RecordedTerminal> {
  const key = await stage.home.key(name)
  const options = ['-tt', '-o', 'SetEnv=SSHAWL_THEME=dark', '-o', 'LogLevel=ERROR']
  return openRecorded({ user: name, port: stage.server.port, key, options }, SIZE)
}

/** Plays all scenes on the built server, over SSH. */
export async function playScenes(): Promise<readonly PlayedScene[]> {
  await using stage = await createModelStage(`context_window = 16000\n\n${sandboxConfig}`)
  await stage.claim('ann')
  await stage.as('ann', ['topic', 'lobby', 'builds and tests'])
  await using ann = await open(stage, 'ann')
  const played: PlayedScene[] = []
  for (const { name, title, play } of SCENES) {
    await play({
      stage,
      ann,
      async enter(line, shows) {
        await typeLine(ann, line)
        await ann.shows(shows)
      },
      async as(who, words, input) {
        const { exitCode, stderr } = await stage.as(who, words, input === undefined ? {} : { input })
        if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
      },
    })
    played.push({ name, title, rows: steadyScreen(ann.screen()) })
  }
  return played
}

/** Plays the first minute with no model but `@guide`; what came is the recording. */
export async function playFirstMinute(): Promise<string> {
  await using stage = await createStage({ config: sandboxConfig })
  await using ann = await open(stage, 'ann')
  await ann.shows('lobby')
  await ann.settles()
  for (const { line, shows } of FIRST_MINUTE) {
    await typeLine(ann, line)
    await ann.shows(shows)
    await ann.settles()
    await pause(READING_MS)
  }
  ann.type('\u0004')
  await ann.settles()
  return asciicast(ann.output, { ...SIZE, title: TITLE })
}
