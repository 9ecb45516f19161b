import { expect } from 'vitest'
import type { AnyServer } from './server.ts'
import type { ModelStage } from './stage.ts'
import type { SshResult } from './ssh.ts'

/** A server with the admin rhea, with ann, bob, and mallory, who is also max. */
export type ModeratedStage<S extends AnyServer> = ModelStage<S> & Moderated

interface Moderated {
  /** Runs a line as a script does, with the name's own key or another one's. */
  run(name: string, line: string, key?: string): Promise<SshResult>
  /** Runs a command that must be done without a word on standard error; resolves to what it printed. */
  done(name: string, line: string): Promise<string>
  entries(name: string, room: string, count?: number): Promise<readonly Record<string, unknown>[]>
}

export async function moderated<S extends AnyServer>(stage: ModelStage<S>): Promise<ModeratedStage<S>> {
  await stage.claim('rhea')
  for (const name of ['ann', 'bob', 'mallory']) await stage.as(name, ['whoami'])
  await stage.as('max', ['whoami'], { key: 'mallory' })
  const run: Moderated['run'] = (name, line, key) =>
    stage.as(name, line.split(' '), key === undefined ? {} : { key })
  const done: Moderated['done'] = async (name, line) => {
    const { exitCode, stdout, stderr } = await run(name, line)
    expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' })
    return stdout
  }
  return Object.assign(stage, {
    run,
    done,
    async entries(name: string, room: string, count = 5) {
      const lines = (await done(name, `history ${room} -n ${count} --json`)).trim().split('\n')
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  })
}
