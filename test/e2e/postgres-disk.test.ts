import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { openOwnServer } from '../support/postgres/own-server.ts'
import { createStage } from '../support/stage.ts'
import { tinyDisk } from '../support/tiny-disk.ts'

const FULL = "the database server's disk is full; free some space there and try again"

/** A line for which PostgreSQL needs pages of their own, since it cannot be made shorter. */
const longLine = (name: string): string => `${name} ${randomBytes(2_900).toString('base64')}`

const disk = lacks('postgres') ? undefined : tinyDisk(64)

test.skipIf(disk === undefined)(
  'while the disk of PostgreSQL is full, people come in, read and leave, and are told; nothing that was shown is lost',
  async () => {
    using full = disk!
    await using postgres = await openOwnServer({ disk: full.path })
    const config = `[server]\naccess = "open"\n[storage]\nurl = "${postgres.url}"\n`
    await using stage = await createStage({ config })
    for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
    const session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    const filler = full.fill()

    const shown = ['before the trouble', 'before the trouble']
    let isFull = false
    for (let n = 0; n < 50 && !isFull; n++) {
      const from = session.output().length
      session.write(`${longLine(`line${n}`)}\n`)
      isFull = (await session.waitFor(/(alice: line|! not stored: ).*\n/, from)).includes(FULL, from)
      if (!isFull) shown.push(`line${n}`)
    }
    expect(isFull).toBe(true)
    expect(await stage.as('bob', ['say', 'lobby'], { input: longLine('lost') })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`not stored: ${FULL}`) as string,
    })
    expect(await stage.as('bob', ['search', 'lobby', 'trouble'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('before the trouble') as string,
    })

    filler.free()
    session.write('there is room again\n')
    await session.waitFor('alice: there is room again')
    const stored = (await stage.as('bob', ['export', 'lobby', '--json'])).stdout.trim().split('\n')
    const texts = stored
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
      .flatMap(({ kind, text }) => (kind === 'message' ? text.replace(/^(line\d+) .*/, '$1') : []))
    expect(texts).toEqual([...shown, 'there is room again'])
    session.close()
    expect(await session.exit).toBe(0)
  },
)
