import { expect } from 'vitest'
import type { AnyServer } from './server.ts'
import type { Stage } from './stage.ts'

/** Why such a test is skipped with PostgreSQL. */
export const ITS_OWN = "it is about SQLite's file; PostgreSQL's own trouble is in postgres-trouble.test.ts"

/** What a person can do while nothing can be stored: come in, read, look around and leave, and be told. */
export async function expectOpenDoor(stage: Stage<AnyServer>, told: string): Promise<void> {
  const session = await stage.open('alice', '-T')
  await session.waitFor('before the trouble')
  session.write('lost words\n')
  // Whatever is to be stored waits for whoever holds the database: these wait together.
  const [history, found, said, newcomer] = await Promise.all([
    stage.as('bob', ['history', 'lobby']),
    stage.as('bob', ['search', 'lobby', 'trouble']),
    stage.as('bob', ['say', 'lobby', 'lost too']),
    stage.as('newcomer', ['whoami']),
    session.waitFor(`not stored: ${told}`),
  ])
  for (const read of [history, found])
    expect(read).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('before the trouble') as string,
    })
  expect(said).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(told) as string })
  session.close()
  expect(await session.exit).toBe(0)
  expect(newcomer).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`You cannot come in now: ${told}`) as string,
  })
}

/** What they can do once all can be stored again. */
export async function expectAllIsWell(stage: Stage<AnyServer>): Promise<void> {
  expect(await stage.as('bob', ['say', 'lobby', 'stored again'])).toMatchObject({ exitCode: 0 })
  // Who came meanwhile is told once, as soon as anything can be stored: before what is said next, or behind it. Where they left
  // just as it can, their leaving is an entry of its own.
  await expect
    .poll(async () =>
      (await stage.as('bob', ['history', 'lobby'])).stdout.split(/(?:1 person|alice) came and went/),
    )
    .toHaveLength(2)
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  expect(stdout).toContain('stored again')
  expect(stdout).not.toContain('lost')
}
