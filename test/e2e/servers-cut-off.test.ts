import { expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { oneTurnAtOnce, toldTurns } from '../support/cluster-turns.ts'
import { startGate, type Gate } from '../support/faults/gate.ts'
import { createTalkers } from '../support/faults/talkers.ts'
import { fallsSilent, says, startModelServer } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'

const CUT = "@qwen's answer to alice was cut off"

/** A busy machine takes long. */
const PATIENCE = { timeout: 20_000 }

test.skipIf(lacks('postgres'))(
  'people of a cut-off or killed server leave once, and those of a cut-off one miss no line',
  async () => {
    await using talkers = await createTalkers({ servers: 3, bus: 'postgres' })
    const [alice, bob] = talkers.sessions
    const [, second, third] = talkers.site.machines
    for (const at of [0, 1, 2]) talkers.say(at, 'hello')
    for (const speaker of ['alice', 'bob', 'carol'])
      for (const { waitFor } of talkers.sessions) await waitFor(`${speaker}: hello\n`)
    const seenByCarol = talkers.shown(2)

    second?.toDatabase.set('shut')
    await third?.server.stop('SIGKILL')
    talkers.say(1, 'can you hear me?')
    // A screen has enough to show before it spends lines on who came and went.
    for (let n = 0; n < 40; n++) talkers.say(0, `alone ${n}`)
    // A server that finds both dead says it in one line.
    await alice?.waitFor(/^-- (?:2 people|.*bob.*) left$/m)
    await alice?.waitFor(/^-- (?:2 people|.*carol.*) left$/m)

    second?.toDatabase.set('open')
    await alice?.waitFor(/left$[^]*^-- bob joined$/m)
    talkers.say(1, 'here I am')
    await talkers.heard('here I am', 0, 1)
    const stored = await talkers.stored()
    expect(stored.slice(0, seenByCarol.length)).toEqual(seenByCarol)
    expect(new Set(stored).size, 'nothing twice').toBe(stored.length)
    for (const at of [0, 1]) expect(talkers.shown(at)).toEqual(stored)
    expect(bob?.child.exitCode, 'the session outlived it').toBeNull()
    expect((await talkers.left()).toSorted()).toEqual(['bob', 'carol'])
  },
)

test.skipIf(lacks('postgres'))(
  'a turn on a server that is cut off from the database ends, and the server continues later',
  async () => {
    let gate: Gate | undefined
    await using models = await startModelServer()
    await using cluster = await createCluster({
      servers: 2,
      config: oneTurnAtOnce(models),
      async env(at, database) {
        const url = new URL(database)
        if (at > 0) return { DATABASE: url.href }
        gate = await startGate(Number(url.port))
        url.port = String(gate.port)
        return { DATABASE: url.href }
      },
    })
    await using toDatabase = gate!
    await using alice = await cluster.inLobby(0, 'alice')
    await using bob = await cluster.inLobby(1, 'bob')
    models.play(fallsSilent('half', ' of'), says('again', ' there'))
    alice.write('@qwen hello\n')
    await models.arrived(1)
    toDatabase.set('shut')
    await bob.waitFor(CUT)
    await models.abandoned()
    toDatabase.set('open')
    await alice.waitFor(CUT)
    await bob.waitFor(/alice left[^]*alice joined/)
    alice.write('@qwen are you there\n')
    await alice.waitFor('again there')
    await bob.waitFor('again there')
    await expect
      .poll(() => toldTurns(cluster), PATIENCE)
      .toEqual([
        { outcome: 'cut', ends: 1 },
        { outcome: 'done', ends: 1 },
      ])
  },
)
