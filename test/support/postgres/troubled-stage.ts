import { expect } from 'vitest'
import { createStage, type Stage } from '../stage.ts'
import { openOwnServer } from './own-server.ts'

/** Nobody who speaks fast is slowed down. */
const CONFIG = '[server]\naccess = "open"\n[limits]\nrate_burst = 1000000\nrate_per_s = 100000\n'

/** For what a busy machine may take long for. */
const PATIENT = { timeout: 20_000 }

/** A server of ours on a PostgreSQL server of its own, in whose lobby two people have said something. */
export async function openTroubledStage() {
  const postgres = await openOwnServer()
  const config = `${CONFIG}[storage]\nurl = "${postgres.url}?lock_timeout=300"\n`
  const stage = await createStage({ config, http: true })
  for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
  return { postgres, stage }
}

/** The status with which the server answers whether it is ready. */
export const readinessOf = async (stage: Stage): Promise<number> =>
  (await fetch(`${stage.server.http}/readyz`)).status

/** Resolves once the server says that it is ready. */
export const untilReady = (stage: Stage): Promise<void> =>
  expect.poll(() => readinessOf(stage), PATIENT).toBe(200)

/** All that was said in the lobby until now, oldest first. */
export const linesInLobby = async (stage: Stage): Promise<readonly string[]> =>
  (await stage.as('bob', ['export', 'lobby', '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
    .flatMap(({ kind, text }) => (kind === 'message' ? text : []))
