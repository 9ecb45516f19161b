import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForReload } from '../../src/app/reload-socket.ts'
import { type AnyServer, startServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'

const config = (...admins: readonly string[]): string =>
  `[server]\naccess = "invite"\nadmins = ${JSON.stringify(admins)}\n`

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ config: config() })
  await stage.claim('ann')
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Somebody new comes in with a code. */
async function comesIn(name: string, key = name): Promise<void> {
  const code = (await stage.as('ann', ['invites', 'new'])).stdout.trim()
  const { stdout } = await stage.as(`${name}+${code}`, ['whoami'], { key })
  expect(stdout).toBe(`${name} (member)\n`)
}

/** Adds a key of which only the public half is known. */
async function adds(name: string, victim: string, key = name): Promise<void> {
  const input = await readFile(`${await stage.home.key(victim)}.pub`, 'utf8')
  const { exitCode, stdout } = await stage.as(name, ['keys', 'add'], { input, key })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('waits')
}

const whoami = async (name: string, key = name): Promise<string> =>
  (await stage.as(name, ['whoami'], { key })).stdout

const done = async (name: string, line: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await stage.as(name, line.split(' '))
  expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' })
  return stdout
}

test('nobody is muted or banned with a pest who has added their public key', async () => {
  await stage.goOnWith(startServer)
  await comesIn('mallory')
  await adds('mallory', 'victoria')
  await comesIn('victoria')
  await done('ann', 'mute lobby mallory 1h')
  await done('victoria', 'say lobby hello')
  await done('ann', 'ban mallory 1h spam')
  await done('ann', `ban ${await stage.home.fingerprint('mallory')} 1h`)
  expect(await whoami('victoria')).toBe('victoria (member)\n')
  expect(await whoami('mallory', 'victoria')).toBe('')
  await stage.restart('SIGKILL')
  expect(await whoami('victoria')).toBe('victoria (member)\n')
  expect(await whoami('mallory')).toBe('')
  await adds('ann', 'victoria')
  await done('victoria', 'say lobby hello')
})

test('a ban of a key that somebody added, and that logged in, leaves them their other keys', async () => {
  await comesIn('dan')
  await adds('dan', 'spare')
  expect(await whoami('dan', 'spare')).toBe('dan (member)\n')
  await done('ann', `ban ${await stage.home.fingerprint('spare')}`)
  expect(await whoami('dan', 'spare')).toBe('')
  expect(await whoami('dan')).toBe('dan (member)\n')
  await stage.restart('SIGTERM')
  expect(await whoami('dan', 'spare')).toBe('')
  expect(await whoami('dan')).toBe('dan (member)\n')
})

test('whoever holds the name and has added the key of an admin to be is no admin, nor has the admin in their account', async () => {
  await comesIn('boss', 'attacker')
  await adds('boss', 'chief', 'attacker')
  const { dataDir } = stage.server
  const reloadWith = async (...admins: readonly string[]) => {
    await writeConfig(dataDir, config(...admins))
    expect((await askForReload(dataDir)).problems).toEqual([])
  }
  await reloadWith(await stage.home.fingerprint('chief'))
  expect(await whoami('boss', 'chief')).toMatch(/^boss-\d{3} \(guest\)\n$/)
  expect(await whoami('boss', 'attacker')).toBe('boss (member)\n')
  expect(await whoami('chief')).toBe('chief (admin)\n')
  await adds('chief', 'laptop')
  expect(await whoami('chief', 'laptop')).toBe('chief (member)\n')
  const asLaptop = await stage.as('chief', ['bans'], { key: 'laptop' })
  expect(asLaptop).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('only an admin') })
  await done('chief', 'bans')
  await done('ann', 'ban boss 1h')
  expect(await whoami('boss', 'attacker')).toBe('')
  await using session = await stage.open('chief', '-T')
  await session.waitFor('-- lobby')
  await reloadWith()
  session.write('/ban dan\n')
  await session.waitFor('only an admin can ban')
})
