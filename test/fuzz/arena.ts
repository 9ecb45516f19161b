import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keyOf } from '../support/load/keys.ts'
import { raisedLimits } from '../support/load/raised-limits.ts'
import { startServer, type Server } from '../support/server.ts'
import type { FuzzCase } from './cases.ts'
import { createPlayer } from './play.ts'
import { createLogReader, Trouble } from './trouble.ts'
import { watchServer } from './watch.ts'

/** Plays cases; what is wrong is told by the client, or by the server's log. */
export interface ArenaPlayer extends AsyncDisposable {
  play(candidate: FuzzCase): Promise<Trouble | undefined>
}

/** Starts a server for fuzzing; `settleMs` is how long a client stays after messages that have no answer. */
export async function startArena(settleMs: number) {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-fuzz-'))
  const server = await startServer({ dataDir: join(dir, 'data'), config: raisedLimits() })
  const watch = watchServer(server)
  const troubles = createTroubles(server)
  return {
    watch,
    player(name: string) {
      const player = createPlayer({ port: server.port, name, key: keyOf(name) }, settleMs)
      return {
        async play(candidate: FuzzCase): Promise<Trouble | undefined> {
          const said = await player.play(candidate).then(
            () => undefined,
            (error: unknown) => error,
          )
          const logged = await troubles(name, said !== undefined)
          if (watch.isOver()) return undefined
          if (said !== undefined && !(said instanceof Trouble)) throw said
          return logged ?? said
        },
        [Symbol.asyncDispose]: () => player[Symbol.asyncDispose](),
      }
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Time for a line of the log to come through its pipe after the client was told, in ms. */
const LOG_MS = 500

/** What the log says of a person since it was last asked; what names nobody is said to whoever asks first. */
function createTroubles({
  stderr,
}: Server): (person: string, isExpected: boolean) => Promise<Trouble | undefined> {
  const readLog = createLogReader(stderr)
  const unread: { readonly person?: string; readonly trouble: Trouble }[] = []
  const take = (person: string): Trouble | undefined => {
    unread.push(...readLog())
    const at = unread.findIndex((one) => one.person === undefined || one.person === person)
    return at < 0 ? undefined : unread.splice(at, 1)[0]?.trouble
  }
  return async (person, isExpected) => {
    const overAt = performance.now() + LOG_MS
    for (;;) {
      const found = take(person)
      if (found || !isExpected || performance.now() > overAt) return found
      await pause(20)
    }
  }
}
