import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { oneTurnAtOnce, unfinished } from '../support/cluster-turns.ts'
import { hang, startModelServer, type ModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

describe.skipIf(lacks('postgres'))('moderation on one of two servers', () => {
  let models: ModelServer
  let stage: ClusterStage
  beforeAll(async () => {
    models = await startModelServer()
    stage = await createCluster({ servers: 2, http: true, config: oneTurnAtOnce(models) })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    await Promise.all([...['ann', 'bob', 'mallory'].map((name) => stage.done(1, name, 'whoami'))])
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await models[Symbol.asyncDispose]()
  })

  /** Runs the line until it is answered so: what another server decided is in force within a moment. */
  async function until(at: number, name: string, line: string, answer: RegExp | 0): Promise<void> {
    for (;;) {
      const { exitCode, stderr } = await stage.run(at, name, line)
      if (answer === 0 ? exitCode === 0 : answer.test(stderr)) return
    }
  }

  test('a ban ends sessions, agents and tokens on another server until it is lifted', async () => {
    const made = JSON.parse(await stage.done(1, 'mallory', 'token new --json')) as { token: string }
    const ask = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${made.token}` }
      return (await fetch(`${stage.servers[1]!.http}/metrics`, { headers })).status
    }
    expect(await ask()).toBe(403)
    await using session = await stage.inLobby(1, 'mallory')
    await using agent = await stage.open(1, 'mallory', '-T', ['mcp', 'serve'])
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    agent.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`)
    await agent.waitFor('serverInfo')
    // Some come in at the moment of the ban.
    const comingIn = Array.from({ length: 4 }, () => stage.open(1, 'mallory', '-T'))
    await stage.done(0, 'rhea', 'ban mallory spam')
    expect(await session.exit).toBe(1)
    expect(session.errors() + session.output()).toContain('you were banned from this server: spam')
    expect(await agent.exit).toBe(1)
    for (const coming of await Promise.all(comingIn)) expect(await coming.exit).not.toBe(0)
    expect((await stage.run(1, 'mallory', 'whoami')).exitCode).toBe(255)
    expect(await ask()).toBe(401)
    await stage.done(1, 'rhea', 'unban mallory')
    await until(0, 'mallory', 'whoami', 0)
    expect(await ask()).toBe(403)
  })

  test('mutes, archives and room bans apply on another server', async () => {
    await using bob = await stage.atTerminal(1, 'bob')
    await stage.done(0, 'ann', 'create den')
    bob.write('/join den\n')
    await bob.waitFor(/[-─]\S* den/)
    await stage.done(0, 'ann', 'mute den bob')
    await until(1, 'bob', 'say den x', /you are muted in den/)
    await stage.done(0, 'ann', 'unmute den bob')
    await until(1, 'bob', 'say den x', 0)
    await stage.done(0, 'ann', 'archive den')
    await until(1, 'bob', 'say den x', /den is archived/)
    await stage.done(0, 'ann', 'archive den off')
    await until(1, 'bob', 'say den x', 0)
    await stage.done(0, 'ann', 'ban --room den bob 1h')
    await bob.waitFor('you were banned from den for ')
    await bob.waitFor(/[-─]\S* lobby[^]*[-─]\S* lobby/)
    expect((await stage.run(1, 'bob', 'join den')).stderr).toContain('you are banned from den')
  })

  test('a kick and an uninvite reach a person on another server', async () => {
    await stage.done(0, 'ann', 'create --private cave')
    await stage.done(0, 'ann', 'invite cave bob')
    await stage.done(1, 'bob', 'join cave')
    await using bob = await stage.atTerminal(1, 'bob')
    bob.write('/join cave\n')
    await bob.waitFor(/[-─]\S* cave/)
    await until(0, 'ann', 'kick cave bob', 0)
    await bob.waitFor('ann kicked you out of cave; you may come back')
    await bob.waitFor(/[-─]\S* cave[^]*[-─]\S* lobby/)
    bob.write('/join cave\n')
    await bob.waitFor(/[-─]\S* lobby[^]*[-─]\S* cave[^]*[-─]\S* cave/)
    await stage.done(0, 'ann', 'uninvite cave bob')
    await bob.waitFor('ann took you out of cave')
    expect((await stage.run(1, 'bob', 'history cave')).stderr).toContain('there is no room called cave')
  })

  test('a deleted room is deleted on another server, and a new one of its name is empty', async () => {
    await stage.done(0, 'ann', 'create yard')
    await using bob = await stage.atTerminal(1, 'bob')
    bob.write('/join yard\n')
    await bob.waitFor(/[-─]\S* yard/)
    bob.write('I say this\n')
    await expect.poll(() => stage.done(1, 'bob', 'history yard')).toContain('bob: I say this')
    await stage.run(0, 'ann', 'delete yard')
    await stage.done(0, 'ann', 'delete yard yard')
    await bob.waitFor('ann deleted yard')
    expect((await stage.run(1, 'bob', 'history yard')).stderr).toContain('there is no room called yard')
    await until(1, 'bob', 'create yard', 0)
    expect(await stage.done(0, 'bob', 'history yard')).toBe('')
  })

  test('a revoked token and a removed key are rejected on another server', async () => {
    const made = JSON.parse(await stage.done(1, 'ann', 'token new --json')) as { token: string; id: number }
    const answer = await fetch(`${stage.servers[1]!.http}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${made.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{}',
    })
    expect(answer.status).not.toBe(401)
    await stage.done(0, 'ann', `token revoke ${made.id}`)
    const again = await fetch(`${stage.servers[1]!.http}/metrics`, {
      headers: { authorization: `Bearer ${made.token}` },
    })
    expect(again.status).toBe(401)
    const line = await stage.publicKey('ann2')
    await stage.as(0, 'ann', ['keys', 'add'], line)
    await using other = await stage.open(1, 'ann', '-T', [], 'ann2')
    await other.waitFor(/[-─]\S* lobby/)
    await stage.done(0, 'ann', `keys remove ${await stage.fingerprint('ann2')}`)
    await other.exit
    expect(other.output() + other.errors()).toContain('was removed')
  })

  test('a ban on one server ends the turns of the banned person on another server', async () => {
    await using rhea = await stage.inLobby(0, 'rhea')
    for (let round = 0; round < 4; round++) {
      await using mallory = await stage.inLobby(1, 'mallory')
      models.play(hang())
      mallory.write('@qwen hello\n')
      if (round === 0) await models.arrived(1)
      const from = rhea.output().length
      await stage.done(0, 'rhea', 'ban mallory')
      expect(await mallory.exit).toBe(1)
      // Nothing is at work any more for somebody who is out.
      await expect.poll(() => unfinished(stage), PATIENCE).toBe(0)
      if (round === 0) await rhea.waitFor('@qwen was stopped: mallory was banned', from)
      await stage.done(0, 'rhea', 'unban mallory')
      await expect.poll(async () => (await stage.as(1, 'mallory', ['whoami'])).exitCode, PATIENCE).toBe(0)
    }
  })
})
