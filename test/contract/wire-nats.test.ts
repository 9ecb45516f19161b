import { describe } from 'vitest'
import { openWire } from '../../src/cluster/wire/wire.ts'
import { startNats } from '../support/nats.ts'
import { lacks } from '../support/needs.ts'
import { wireExam } from './wire-exam.ts'

const PREFIX = 'exam.one'
const SECRET = 'tops3cret'

describe.skipIf(lacks('nats'))('servers with NATS', () => {
  wireExam('NATS', async () => {
    const nats = await startNats()
    const url = nats.url.replace('//', `//sshawl:${SECRET}@`)
    return {
      open: (log) => openWire({ bus: { url, prefix: PREFIX }, storageUrl: '', log }),
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
        for (const bytes of anything) await nats.publish(`${PREFIX}.${subject}`, Uint8Array.from(bytes))
        await nats.publish(subject, new TextEncoder().encode('under another prefix'))
      },
      password: SECRET,
      [Symbol.asyncDispose]: nats[Symbol.asyncDispose],
    }
  })
})
