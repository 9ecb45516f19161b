import { quotaKeyName } from '../chat/index.ts'
import type { Sanctions, Clients } from '../chat/moderation/index.ts'
import type { Ignores } from '../chat/talk/index.ts'
import type { People } from '../chat/people/index.ts'
import { createDeferred } from '../base/jobs/waiting.ts'
import type { ClientHandler, ExecPipe } from '../terminal/index.ts'
import type { Person } from '../words/person.ts'

export interface Door {
  readonly identify: ClientHandler['identify']
  readonly whyOut: Sanctions['whyOut']
  /** Registers a session, so that it can be ended. */
  readonly begin: Clients['begin']
  readonly connected: NonNullable<ClientHandler['connected']>
  readonly servers: NonNullable<ClientHandler['servers']>
}

export const createDoor = (
  people: Pick<People, 'identify'>,
  sanctions: Pick<Sanctions, 'whyOut'>,
  clients: Pick<Clients, 'begin'>,
  ignores: Pick<Ignores, 'onLogin'>,
  serversOf: (quotaKey: string) => number,
  onLogin: (person: Person) => void = () => {},
): Door => ({
  async identify(name, { fingerprint, isCertified = false, mayFollow }, address, code) {
    const person = await people.identify(name, fingerprint, address, {
      isCertified,
      ...(mayFollow === undefined ? {} : { mayFollow }),
      ...(code === undefined ? {} : { code }),
    })
    ignores.onLogin(person, fingerprint)
    onLogin(person)
    return person
  },
  whyOut: (person) => sanctions.whyOut(person),
  begin: (client) => clients.begin(client),
  connected(person, hangUp) {
    const end = clients.begin({ person, end: hangUp })
    // The person may have been removed after the login and before this registration.
    if (sanctions.whyOut(person) !== undefined) hangUp()
    return end
  },
  servers: (kind, id) => serversOf(quotaKeyName(kind, id)),
})

/** Runs a command. If its person is removed, aborts it without output: the reason on stderr, status 1. */
export async function untilKicked(
  person: Person,
  pipe: ExecPipe,
  door: Pick<Door, 'begin' | 'whyOut'>,
  run: (pipe: ExecPipe) => Promise<number>,
): Promise<number> {
  const putOut = createDeferred<number>()
  const ended = new AbortController()
  const say = async (why: string): Promise<number> => {
    await pipe.err(`! ${why}\n`)
    return 1
  }
  const why = door.whyOut(person)
  if (why !== undefined) return await say(why)
  if (person.notice !== undefined) await pipe.err(`! ${person.notice}\n`)
  const forget = door.begin({
    person,
    end(reason) {
      if (ended.signal.aborted) return
      ended.abort(new DOMException('the session was ended', 'AbortError'))
      void say(reason).then(putOut.resolve)
    },
  })
  const writeUntilEnded =
    <T>(write: (content: T) => Promise<void>) =>
    async (content: T): Promise<void> =>
      ended.signal.aborted ? undefined : await write(content)
  try {
    const signal = AbortSignal.any([pipe.signal, ended.signal])
    return await Promise.race([
      run({
        ...pipe,
        signal,
        out: writeUntilEnded(pipe.out),
        err: writeUntilEnded(pipe.err),
        ...(pipe.bytes && { bytes: writeUntilEnded(pipe.bytes) }),
      }),
      putOut.promise,
    ])
  } finally {
    forget()
  }
}
