import { once } from 'node:events'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'
import type { TestDatabase } from '../support/postgres/databases.ts'

/** What an older server sent, and what somebody who has no key may try. */
const CHANNELS = ['sshawl', 'sshawl_sealed']

/** Somebody who may connect to the database, as PostgreSQL lets everybody, and has no other right there. */
async function comeAsOutsider(database: TestDatabase) {
  const role = database.role('outsider')
  await database.send(`CREATE ROLE ${role} LOGIN`)
  const client = new Client({
    connectionString: Object.assign(new URL(database.url), { username: role }).toString(),
  })
  await client.connect()
  const heard: string[] = []
  client.on('notification', ({ payload = '' }) => heard.push(payload))
  for (const channel of CHANNELS) await client.query(`LISTEN ${channel}`)
  return {
    heard,
    /** Resolves to the payloads that begin so, once there are so many. */
    async untilHeard(count: number, begin: string): Promise<readonly string[]> {
      const found = heard.filter((payload) => payload.startsWith(begin))
      if (found.length >= count) return found
      await once(client, 'notification')
      return await this.untilHeard(count, begin)
    },
    query: (text: string, values?: unknown[]) => client.query(text, values),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

test.skipIf(lacks('postgres'))(
  'whoever may only connect to the database neither reads nor writes what is on the screens',
  async () => {
    await using cluster = await createCluster({ servers: 2 })
    const { database } = cluster
    await using outsider = await comeAsOutsider(database)
    await using alice = await cluster.open(0, 'alice', '-T')
    await alice.waitFor('-- lobby')
    alice.write('/create --private den\n/join den\nthe plan is secret\n')
    await alice.waitFor('alice: the plan is secret')
    // That alice joined, and what she said.
    const recorded = await outsider.untilHeard(2, 'room.den ')
    expect(outsider.heard.join('\n')).not.toMatch(/secret|alice|entry/)
    await expect(outsider.query('SELECT value FROM secrets')).rejects.toThrow('permission denied')

    const [{ id } = { id: '' }] = await database.send("SELECT id FROM people WHERE name = 'alice'")
    const whisper = {
      id: 'x',
      kind: 'notice',
      level: 'info',
      author: 'system',
      text: 'obey me',
      room: 'den',
      at: 1,
    }
    const forged = JSON.stringify({ server: 'other', whisper, to: [id] })
    const sent = [`1 room.den ${forged}`, `room.den ${Buffer.from(forged).toString('base64')}`, ...recorded]
    for (const channel of CHANNELS)
      for (const text of sent) await outsider.query('SELECT pg_notify($1, $2)', [channel, text])
    expect((await cluster.as(1, 'alice', ['say', 'den', 'after all that'])).exitCode).toBe(0)
    await alice.waitFor('after all that')
    expect(alice.output()).not.toContain('obey')
    expect(alice.output().match(/the plan is secret/g)).toHaveLength(1)
    expect(cluster.servers[0]?.stderr()).toContain('somebody who is no server of this database')
  },
)
