import { test } from 'vitest'
import { NO_LOG } from '../../src/wrap/embedding/context.ts'
import { createModel } from '../../src/models/providers.ts'
import { openStorage } from '../../src/storage/open.ts'
import { Rooms } from '../../src/chat/rooms.ts'
import type { TurnId } from '../../src/words/entry.ts'
import { createLocalPeers } from '../../src/chat/local-peers.ts'
import { createLocalBus } from '../../src/chat/local-bus.ts'
import { Sanctions } from '../../src/chat/moderation/sanctions.ts'
import { createIds } from '../../src/base/ids.ts'
import { sampleConfig, sampleRequest } from '../support/model-request.ts'
import { type ModelServer, says, startModelServer } from '../support/model-server.ts'
import { createStage } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'
import { sqliteOptions, temporaryDir } from '../support/storage.ts'
import { type Contenders, median, race, report, verdict } from './measure.ts'
import { openComposer, workload } from './workload.ts'

const ROUNDS = { rounds: 60, warmup: 20 }
test('from Enter to the first byte at the server of the model', async () => {
  await using provider = await startModelServer()
  await using stage = await createStage({ config: configFor(provider) })
  await stage.claim('rhea')
  await using session = await stage.open('rhea', '-tt')
  await session.waitFor('lobby')
  const whole: number[] = []
  const echo: number[] = []
  for (let round = 0; round < ROUNDS.warmup + ROUNDS.rounds; round += 1) {
    const typed = await typeQuestion(session, round)
    const asked = await pressEnter(session, provider, round)
    if (round < ROUNDS.warmup) continue
    echo.push(typed)
    whole.push(asked)
  }
  await using parts = await alone(provider)
  const alike = await race(parts, ROUNDS)
  const middle = median(whole)
  report(`(c) from Enter to the first byte at the model's server, medians of ${ROUNDS.rounds}`, [
    ['', 'ms'],
    ['Enter to first byte, the built server, an OpenSSH client', middle],
    ['the quickest of them', Math.min(...whole)],
    ['its parts, each measured by itself:', ''],
    ['  ssh channel: a key typed until its echo is drawn, there and back', median(echo)],
    ...Object.entries(alike).map(([name, all]) => [`  ${name}`, median(all)] as const),
    ['target', verdict(middle, middle <= 15, 'at most 15')],
  ])
})

/** Limits out of the way: what is measured is one question, not how fast a person may ask. */
const configFor = ({ endpoint }: ModelServer): string => `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${endpoint}/v1"
context_window = 16000
[limits]
rate_burst = 1000
rate_per_s = 1000
`

/** Types the question but for its last letter; gives the time that one more key takes to be seen. */
async function typeQuestion(session: SshSession, round: number): Promise<number> {
  session.write(`@qwen question number ${round}`)
  await session.waitFor(`number ${round}`)
  const from = session.output().length
  const start = performance.now()
  session.write('?')
  await session.waitFor('?', from)
  return performance.now() - start
}

async function pressEnter(session: SshSession, provider: ModelServer, round: number): Promise<number> {
  const answered = `answer number ${round}.`
  provider.play(says(answered))
  const { requests } = provider
  const start = performance.now()
  session.write('\r')
  await provider.arrived(requests.length + 1)
  const asked = performance.now() - start
  await session.waitFor(answered)
  return asked
}

/** What the way is made of, in this process, with the same parts. */
async function alone(provider: ModelServer): Promise<Contenders & AsyncDisposable> {
  const dir = temporaryDir()
  const storage = await openStorage(sqliteOptions(dir.path))
  const clock = {
    now: () => Date.now(),
    later: (ms: number, run: () => void) => void setTimeout(run, ms).unref(),
  }
  const nextId = createIds(clock)
  const parts = {
    entries: storage.chat.entries,
    rooms: storage.chat.rooms,
    people: storage.chat.people,
    bus: createLocalBus(NO_LOG),
    peers: createLocalPeers(),
    clock,
    nextId,
    log: NO_LOG,
    sanctions: await Sanctions.load(storage.chat.sanctions, clock),
  }
  const limits = { rooms_per_person: 1, members_per_room: 2000, presence_per_min: 20 }
  const room = await new Rooms(parts, limits).lobby()
  const composer = openComposer()
  await composer.compose(workload())
  const model = createModel(sampleConfig({ endpoint: provider.endpoint }))
  const newest = { encoding: 'o200k_base', maxRows: 500, maxTokens: 8000 }
  return {
    'record: the message on disk, with its fsync': () =>
      room.record({ kind: 'message', author: 'ann', text: '@qwen and now?' }),
    'begin: the turn on disk, with its fsync': () =>
      storage.models.turns.begin({
        id: nextId() as TurnId,
        room: room.name,
        model: 'qwen',
        requester: 'ann',
        startedAt: clock.now(),
      }),
    'snapshot: room, values and newest rows': () =>
      Promise.all([
        room.info(),
        storage.chat.rooms.values(room.name),
        storage.prompts.history.newest(room.name, newest),
        storage.prompts.scripts.current(room.name),
      ]),
    'compose: 8 layers, 100 tools, 500 messages, through the pipe': (round: number) =>
      composer.compose(workload(undefined, `ann: ${round}`)),
    'connect: request to first byte at the server, connection kept': async () => {
      provider.play(says('ok'))
      const before = provider.requests.length
      const events = model.stream(sampleRequest(), new AbortController().signal)
      void readAll(events)
      await provider.arrived(before + 1)
    },
    async [Symbol.asyncDispose]() {
      await composer[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
      dir[Symbol.dispose]()
    },
  }
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
