import { expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { clockEnvironment } from '../support/faults/machine.ts'
import { lacks } from '../support/needs.ts'

test.skipIf(lacks('postgres'))(
  'a server whose clock is ten seconds ahead warns once as it starts, and holds people to a mute and a ban',
  async () => {
    await using stage = await createCluster({
      servers: 2,
      env: (at) => (at === 1 ? clockEnvironment(10_000) : {}),
    })
    const [one, two] = stage.servers
    await stage.done(0, 'rhea', `claim ${one!.claimCode}`)
    for (const name of ['cat', 'gus']) await stage.done(0, name, 'whoami')
    expect(two!.stderr().match(/the clock of this machine is not the database's/g)).toHaveLength(1)
    expect(two!.stderr()).toContain('"seconds":10')
    expect(one!.stderr()).not.toContain('the clock of this machine')
    await stage.done(0, 'rhea', 'mute lobby cat 20m')
    await stage.done(0, 'rhea', 'ban gus 20m')
    // What another server decided is in force within a moment.
    async function refused(name: string, line: string, why: RegExp): Promise<void> {
      for (;;) if (why.test((await stage.run(1, name, line)).stderr)) return
    }
    await refused('cat', 'say lobby x', /you are muted in lobby/)
    await refused('gus', 'whoami', /Permission denied/)
  },
)
