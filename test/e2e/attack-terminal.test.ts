import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientChannel } from 'ssh2'
import { test } from 'vitest'
import { expectStops, expectUnharmed, howMuch, shareArena } from '../support/attack.ts'
import type { Stage } from '../support/stage.ts'
import { connectHostile, newKey } from '../support/ssh2-client.ts'

/** Somebody with a terminal so wide, whose session has begun. */
async function terminal(stage: Stage, columns: number) {
  const client = await connectHostile('mallory', stage.server.port, newKey())
  const channel = await client.shell(columns)
  await once(channel, 'data')
  return { client, channel }
}

const arena = shareArena()

const ATTACK_MS = howMuch({ quick: 1_000, long: 3_000 })
/** The same density of keys and window changes, for a longer or a shorter time. */
const SHARE = ATTACK_MS / 3_000

/** Does something again and again, so often in all, spread over the time of the attack. */
async function spread(times: number, act: () => void): Promise<void> {
  const start = performance.now()
  for (let done = 0; done < times;) {
    const due = Math.min(times, ((performance.now() - start) / ATTACK_MS) * times)
    for (; done < due; done++) act()
    await sleep(5)
  }
}

const write = (channel: ClientChannel, text: string): Promise<void> =>
  new Promise((resolve) => channel.write(text, () => resolve()))

test('hundreds of changes of the window over a draft of 48,000 characters stall nobody', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const { client, channel } = await terminal(stage, 200)
    await write(channel, `\u001b[200~${'🙂'.repeat(24_000)}\u001b[201~`)
    for (let change = 0; change < 2_000 * SHARE; change++) channel.setWindow(24, 100 + (change % 100), 0, 0)
    await sleep(ATTACK_MS)
    return [client]
  })
  expectUnharmed(damage)
})

test('tens of thousands of keys into a terminal of a thousand columns stall nobody', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const { client, channel } = await terminal(stage, 1_000)
    await spread(60_000 * SHARE, () => channel.write('k'))
    return [client]
  })
  expectUnharmed(damage)
})

test('tens of thousands of TABs after a command stall nobody', async () => {
  const damage = await arena.damageOf(async (stage) => {
    const { client, channel } = await terminal(stage, 80)
    await write(channel, '/run ')
    await spread(1_000 * SHARE, () => channel.write('\t'.repeat(100)))
    return [client]
  })
  expectUnharmed(damage)
})

test('who attacked and is still there does not keep the server from stopping', () => expectStops(arena))
