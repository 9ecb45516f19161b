import type { Database } from 'better-sqlite3'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { openStorage } from '../../../../src/adapters/storage/open.ts'
import { openFile } from '../../../../src/adapters/storage/sqlite/driver.ts'
import type { RoomName } from '../../../../src/chat/entry.ts'
import { built } from '../../../support/built.ts'
import { sqliteOptions, temporaryDir } from '../../../support/storage.ts'

/** Runs the child until it has told of so many ids, then kills it. What it told until it died. */
async function killAfter(ids: number, directory: string): Promise<readonly string[]> {
  const process = execa('node', [built('append-until-killed'), directory], {
    reject: false,
    forceKillAfterDelay: false,
  })
  const told: string[] = []
  for await (const id of process) {
    told.push(id)
    if (told.length === ids) process.kill('SIGKILL')
  }
  expect((await process).signal).toBe('SIGKILL')
  return told
}

test('what was acknowledged is there after kill -9, each time, and the database is whole', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const acknowledged: string[] = []
  for (const ids of [1, 90, 500]) {
    acknowledged.push(...(await killAfter(ids, dir.path)))
    await using storage = await openStorage(options)
    const stored = await storage.chat.entries.read('lobby' as RoomName, { limit: 1e6 })
    expect(stored.map((entry) => entry.id)).toEqual(expect.arrayContaining(acknowledged))
    expect(await storage.chat.entries.lastId()).toBe(stored.at(-1)?.id)
  }
  using db = closing(openFile(options.file))
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('a second process is told that the directory is in use, and the first goes on', async () => {
  using dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  await using storage = await openStorage(options)
  const second = await execa('node', [built('append-until-killed'), dir.path], { reject: false })
  expect(second.exitCode).toBe(1)
  expect(second.stderr).toContain(`another sshawl is using ${dir.path}; stop that one`)
  await expect(storage.upkeep.health()).resolves.toBeUndefined()
})

const closing = (db: Database): Database & Disposable =>
  Object.assign(db, { [Symbol.dispose]: () => void db.close() })
