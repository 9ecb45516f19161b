import { randomBytes } from 'node:crypto'
import { describe } from 'vitest'
import { openWire } from '../../src/adapters/wire/open.ts'
import { newBusSecret } from '../support/bus-secret.ts'
import { startNats } from '../support/nats.ts'
import { lacks } from '../support/needs.ts'
import { FLOODED_MS, wireExam } from './wire-exam.ts'

const PREFIX = 'exam.one'
const SECRET = 'tops3cret'

describe.skipIf(lacks('nats'))('servers with NATS', () => {
  wireExam('NATS', async () => {
    const nats = await startNats()
    const secret = newBusSecret()
    const url = nats.url.replace('//', `//sshawl:${SECRET}@`)
    return {
      open: (log, other) =>
        openWire({
          bus: { url, prefix: PREFIX },
          storageUrl: '',
          secret: other ?? secret,
          log,
          floodedMs: FLOODED_MS,
        }),
      kill: nats.kill,
      startAgain: nats.startAgain,
      async intrude(subject) {
        const anything = [
          [],
          [0xff, 0xfe, 0xc0, 0x80],
          [0xed, 0xa0, 0x80],
          [0],
          Array.from({ length: 100_000 }, () => 0x80),
        ]
        for (const bytes of anything)
          await nats.publish(`${PREFIX}.sealed.${subject}`, Uint8Array.from(bytes))
        await nats.publish(`${PREFIX}.${subject}`, new TextEncoder().encode('not sealed'))
        await nats.publish(subject, new TextEncoder().encode('under another prefix'))
      },
      flood: (subject, count) =>
        nats.publishAll(
          `${PREFIX}.sealed.${subject}`,
          Array.from({ length: count }, () => randomBytes(200)),
        ),
      password: SECRET,
      [Symbol.asyncDispose]: nats[Symbol.asyncDispose],
    }
  })
})
