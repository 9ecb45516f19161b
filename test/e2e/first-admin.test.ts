import { describe, expect, test } from 'vitest'
import { askForReload } from '../../src/app/reload-socket.ts'
import { createStage, createStageHere } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'

const serverSection = (access: string, admins: readonly string[] = []): string =>
  `[server]\naccess = "${access}"\nadmins = ${JSON.stringify(admins)}\n`

const denied = { exitCode: 255, stdout: '' }

describe.each(['invite', 'closed'])('a server with access "%s"', (access) => {
  test('is claimed by whoever brings the code, and lets in nobody else, before and after', async () => {
    await using stage = await createStageHere({ config: serverSection(access) })
    const code = stage.server.claimCode!
    expect(await stage.as('mallory', ['whoami'])).toMatchObject(denied)
    expect(await stage.as('mallory', ['claim', code])).toMatchObject(denied)
    expect(await stage.as('mallory+WRNG-WRNG', ['whoami'], { key: 'mallory' })).toMatchObject(denied)
    for (const name of ['system', 'everyone', 'you'])
      expect(await stage.as(`${name}+${code}`, ['claim', code], { key: 'rhea' })).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`nobody can be called ${name}`) as string,
      })
    await stage.claim('rhea')
    expect((await stage.as('rhea', ['whoami'])).stdout).toBe('rhea (admin)\n')
    for (const name of ['mallory', `mallory+${code}`])
      expect(await stage.as(name, ['whoami'], { key: 'mallory' })).toMatchObject(denied)
  })
})

test('a server that is not open to all prints how it is claimed, with the code in the name', async () => {
  await using stage = await createStage({ config: serverSection('invite') })
  const code = stage.server.claimCode!
  expect(stage.server.lines.join('\n')).toContain(`$USER+${code}@127.0.0.1 claim ${code}`)
})

test('admins by the config open the server to nobody else, and are admins as long as it says so', async () => {
  await using stage = await createStageHere({ config: serverSection('closed') })
  const { dataDir } = stage.server
  const [rhea, two] = await Promise.all(['rhea', 'two'].map((name) => stage.home.fingerprint(name)))
  const role = async (name: string) => (await stage.as(name, ['whoami'])).stdout
  const reloadWith = async (admins: readonly string[]) => {
    await writeConfig(dataDir, serverSection('closed', admins))
    expect((await askForReload(dataDir)).problems).toEqual([])
  }
  await reloadWith([rhea!, two!])
  expect([await role('rhea'), await role('two')]).toEqual(['rhea (admin)\n', 'two (admin)\n'])
  expect(await stage.as('mallory', ['whoami'])).toMatchObject(denied)
  expect(await stage.as(`mallory+${stage.server.claimCode!}`, ['whoami'], { key: 'mallory' })).toMatchObject(
    denied,
  )
  await using session = await stage.open('two', '-T')
  await session.waitFor('-- lobby')
  await reloadWith([rhea!])
  expect([await role('rhea'), await role('two')]).toEqual(['rhea (admin)\n', 'two (member)\n'])
  session.write('/ban mallory\n')
  await session.waitFor('only an admin can ban')
  await stage.restart('SIGTERM')
  expect(await role('rhea')).toBe('rhea (member)\n')
  expect(stage.server.claimCode).toBeDefined()
  await stage.claim('rhea')
  expect(await role('rhea')).toBe('rhea (admin)\n')
})
