import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'
import { openOwnServer, type OwnServer } from '../support/postgres/own-server.ts'
import { createStage, type Stage } from '../support/stage.ts'

/** Nobody who speaks fast is slowed down. */
const CONFIG = '[server]\naccess = "open"\n[limits]\nrate_burst = 1000000\nrate_per_s = 100000\n'

const configFor = (url: string): string => `${CONFIG}[storage]\nurl = "${url}"\n`

const PATIENT = { timeout: 20_000 }

describe.skipIf(lacks('postgres'))('PostgreSQL in trouble', () => {
  let postgres: OwnServer
  let stage: Stage
  beforeAll(async () => {
    postgres = await openOwnServer()
    stage = await createStage({ config: configFor(postgres.url), http: true })
    for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  const readiness = async (): Promise<number> => (await fetch(`${stage.server.http}/readyz`)).status

  test('explore', async () => {
    const session = await stage.open('alice', '-T')
    await session.waitFor('before the trouble')
    await postgres.stop('immediate')
    session.write('lost words\n')
    await session.waitFor(/not stored.*\n/)
    console.log(session.output())
    console.log(await stage.as('bob', ['history', 'lobby']))
    console.log(await stage.as('carol', ['history', 'lobby']))
    console.log(await readiness())
    session.write('/history\n/search words\n/who\n/rooms\n/msg bob hi\n')
    await postgres.start()
    await expect.poll(readiness, PATIENT).toBe(200)
    session.write('stored again\n')
    await session.waitFor('alice: stored again')
    console.log(session.output())
    console.log(await stage.as('bob', ['history', 'lobby']))
    console.log(stage.server.stderr())
    await postgres.signal('SIGSTOP')
    session.write('hanging\n')
    await new Promise((r) => setTimeout(r, 100))
    const t = performance.now()
    console.log(await stage.server.stop('SIGTERM'), performance.now() - t)
    await postgres.signal('SIGCONT')
    console.log(session.output().slice(-300))
  })
})
