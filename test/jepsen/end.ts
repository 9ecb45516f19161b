import { setTimeout as pause } from 'node:timers/promises'
import { ADMIN, command, namesIn, say } from './acts.ts'
import type { Client, World } from './client.ts'
import { callOn } from './connection.ts'

/** How a run ends: everybody is there, all has come, and who is where is known everywhere. */
export type Ending = Awaited<ReturnType<typeof end>>

/** Until the last lines are on all screens, and until all servers say the same of who is there. */
const SETTLE_MS = 20_000

/** Brings everybody in, lets each say a last line, and waits until all screens and servers agree, or will not. */
export async function end(clients: readonly Client[], world: World) {
  const admin = clients.find(({ name }) => name === ADMIN)
  if (admin && (await admin.beThere()))
    for (const victim of world.victims) await command(admin, 'unban', victim)
  const shutOut: string[] = []
  for (const client of clients) if (!(await client.beThere())) shutOut.push(client.name)
  await Promise.all(clients.map((client) => say(client)))
  const unseen = await unseenAfter(SETTLE_MS, clients, world)
  await callRolls(clients, world)
  return {
    /** Those who came in nowhere although all was whole, with why as far as it is known. */
    shutOut,
    /** Who had not seen which last line after a while: `c1: c2-40`. */
    unseen,
  }
}

async function unseenAfter(
  ms: number,
  clients: readonly Client[],
  { history }: World,
): Promise<readonly string[]> {
  const lastLines = clients.flatMap(({ name }) => history.acts.findLast((act) => act.client === name) ?? [])
  const missing = (): readonly string[] =>
    clients.flatMap((client) => {
      const visit = client.connection?.visit
      return lastLines
        .filter((act) => act.room === client.room && !visit?.screen.includes(`: ${act.mark} `))
        .map(({ mark }) => `${client.name}: ${mark}`)
    })
  for (const until = history.now() + ms; missing().length > 0 && history.now() < until;) await pause(200)
  return missing()
}

/** Asks each server who is in each room, until all say what is true, or have had the time to. */
async function callRolls(clients: readonly Client[], world: World): Promise<void> {
  const { history, machines } = world
  const connections: Awaited<ReturnType<typeof callOn>>[] = []
  // One that does not even let the admin in has its finding elsewhere.
  for (const machine of machines)
    await callOn(machine, ADMIN).then(
      (one) => connections.push(one),
      () => undefined,
    )
  const truly = (room: string): string =>
    clients
      .filter((client) => client.room === room)
      .map(({ name }) => name)
      .join(' ')
  for (const until = history.now() + SETTLE_MS; ;) {
    history.lastRolls.length = 0
    for (const connection of connections)
      for (const room of world.rooms) {
        const askedAt = history.now()
        const answer = await connection.run(`who ${room} --json`)
        if (answer?.status !== 0) continue
        const [names, machine] = [namesIn(answer.text), connection.machine.name]
        history.lastRolls.push({ room, machine, names, askedAt, answeredAt: history.now() })
      }
    const areRight = history.lastRolls.every(({ room, names }) => names.toSorted().join(' ') === truly(room))
    if (areRight || history.now() > until) break
    await pause(500)
  }
  for (const connection of connections) await connection[Symbol.asyncDispose]()
}
