import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { expect, test } from 'vitest'
import { tablesOf } from '../../src/storage/copy.ts'
import { isUrl, openStorage } from '../../src/storage/open.ts'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { entryLines } from '../../src/server/deleted-room.ts'
import type { EntryId, RoomName } from '../../src/words/entry.ts'
import { createIds } from '../../src/base/ids.ts'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'
import { createDatabase } from '../support/postgres/databases.ts'
import { fillEveryTable } from '../support/postgres/every-table.ts'
import { sqliteOptions, temporaryDir } from '../support/storage.ts'
import { report } from './measure.ts'
import { ROOMS, variedEntry } from './varied-entries.ts'

/** `ENTRIES=10000 npm run bench -- copy` takes seconds. */
const ENTRIES = Number(process.env['ENTRIES'] ?? 1_000_000)

/** Appended in one transaction. */
const GROUP = 5_000

/** A process tells at its end how much memory it had at most, in KiB. */
const TELL_MEMORY = `--import=data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => console.error(`memory ${process.resourceUsage().maxRSS}`))",
)}`

test.skipIf(lacks('postgres'))(
  'entries of all kinds are copied to PostgreSQL and back, and all is the same, byte for byte',
  async () => {
    using dir = temporaryDir()
    await using database = await createDatabase()
    const [from, back] = [join(dir.path, 'from.db'), join(dir.path, 'back.db')]
    const filling = await timed(() => fill(from))
    const there = await copied(from, database.url)
    const home = await copied(database.url, back)
    const rooms = [...ROOMS]
    const exports = await timed(() => digestsOf(from, rooms))
    expect(await digestsOf(database.url, rooms)).toEqual(exports.value)
    expect(await digestsOf(back, rooms)).toEqual(exports.value)
    expect(tableDigests(back)).toEqual(tableDigests(from))

    const [size] = await database.send('SELECT pg_database_size(current_database()) AS bytes')
    report(
      `copying ${ENTRIES.toLocaleString('en')} entries with ${there.rows - ENTRIES} rows of other tables`,
      [
        ['', 'seconds', 'rows a second', 'memory of the process'],
        ['to PostgreSQL', there.seconds, perSecond(there), `${there.peakMb} MB`],
        ['back to a file', home.seconds, perSecond(home), `${home.peakMb} MB`],
      ],
    )
    report('beside it', [
      ['the file', mb(statSync(from).size)],
      ['the database', mb(Number(size?.['bytes']))],
      ['appending them, seconds', filling.seconds],
      ['exporting them from the file, seconds', exports.seconds],
    ])
  },
  3_600_000,
)

const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

const perSecond = ({ rows, seconds }: Copied): string => Math.round(rows / seconds).toLocaleString('en')

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const start = performance.now()
  const value = await work()
  return { value, seconds: (performance.now() - start) / 1000 }
}

/** A file with rows in every table, whose entries were appended as a server appends them. */
async function fill(file: string): Promise<void> {
  await using storage = await openStorage({ ...sqliteOptions(''), file })
  const other = openFile(file)
  fillEveryTable(other, 0)
  const nextId = createIds({ now: () => Date.now() })
  const past = new Map<RoomName, EntryId[]>()
  for (let n = 0; n < ENTRIES; n += GROUP) {
    const group = Array.from({ length: Math.min(GROUP, ENTRIES - n) }, (_, at) => {
      const room = ROOMS[(n + at) % ROOMS.length]!
      return variedEntry(n + at, nextId() as EntryId, room, past.get(room) ?? [])
    })
    const ids = await Promise.all(group.map((entry) => storage.chat.entries.append(entry)))
    for (const [at, { id }] of ids.entries()) remember(past, group[at]!.room, id)
  }
  other.exec(`INSERT OR IGNORE INTO token_counts SELECT id, 'o200k_base', length(text) / 4 FROM entries WHERE at % 4 = 0;
    INSERT INTO turns SELECT 'U' || at, room, 'qwen', 'alice', at, at, 'done', 1, 2, NULL, json_object('system', text), 1, NULL, id, 'p1'
      FROM entries WHERE at % 500 = 0`)
  other.close()
}

/** What later entries of a room refer to: some that are old, some that are new. */
function remember(past: Map<RoomName, EntryId[]>, room: RoomName, id: EntryId): void {
  const known = past.get(room) ?? []
  known[known.length < 400 ? known.length : 200 + (id.codePointAt(25)! % 200)] = id
  past.set(room, known)
}

interface Copied {
  readonly rows: number
  readonly seconds: number
  readonly peakMb: number
}

/** By the command, in a process of its own. */
async function copied(from: string, to: string): Promise<Copied> {
  const { value, seconds } = await timed(() =>
    operator(['copy', '--from', from, '--to', to], { NODE_OPTIONS: TELL_MEMORY }),
  )
  expect(value.exitCode, value.stderr).toBe(0)
  const [, rows] = /copied (\d+) rows/.exec(value.stdout) ?? []
  const [, kib] = /memory (\d+)/.exec(value.stderr) ?? []
  return { rows: Number(rows), seconds, peakMb: Math.round(Number(kib) / 1024) }
}

/** Of each room's export, as `export --json` has it. */
async function digestsOf(
  place: string,
  rooms: readonly RoomName[],
): Promise<Readonly<Record<string, string>>> {
  const where = isUrl(place) ? { url: place } : { file: place }
  await using storage = await openStorage({ ...sqliteOptions(''), ...where })
  const digests: Record<string, string> = {}
  for (const room of rooms) {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const lines of entryLines(storage.chat.entries, room)) {
      hash.update(lines)
      bytes += lines.length
    }
    expect(bytes).toBeGreaterThan(0)
    digests[room] = `${bytes} ${hash.digest('hex')}`
  }
  return digests
}

/** Of the rows of each table, in the order of all their columns, and of what the numbered ones go on from. */
function tableDigests(file: string): Readonly<Record<string, string>> {
  const db = openFile(file)
  try {
    const numbers = JSON.stringify(db.prepare('SELECT * FROM sqlite_sequence ORDER BY name').all())
    const tables = tablesOf(db).map(({ name, columns }) => [name, digestOf(db, name, columns)])
    return { ...(Object.fromEntries(tables) as Record<string, string>), numbers }
  } finally {
    db.close()
  }
}

function digestOf(db: Database, table: string, columns: readonly string[]): string {
  const hash = createHash('sha256')
  let rows = 0
  const order = columns.map((_, at) => at + 1).join(', ')
  for (const row of db.prepare(`SELECT * FROM "${table}" ORDER BY ${order}`).raw().iterate()) {
    hash.update(JSON.stringify(row))
    rows += 1
  }
  expect(rows, table).toBeGreaterThan(0)
  return `${rows} ${hash.digest('hex')}`
}
