import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadHostKeys } from '../../src/ssh/keys/host-keys.ts'
import type { SshLimits } from '../../src/ssh/admission.ts'
import { SshServer } from '../../src/ssh/server.ts'
import type { Person, PersonId } from '../../src/words/person.ts'
import type { Log } from '../../src/base/environment.ts'
import type { ClientHandler } from '../../src/terminal/ports.ts'

/** The design's defaults. */
export const sshLimits: SshLimits = {
  login_timeout_s: 20,
  code_timeout_s: 120,
  keys_offered: 12,
  unauthenticated_per_address: 8,
  unauthenticated: 200,
  address_burst: 40,
  address_per_s: 5,
  connections_per_address: 32,
  connections_per_person: 4,
  connections: 4096,
  idle_connection_s: 60,
  channels_per_connection: 10,
  exec_per_person: 8,
  exec_per_address: 64,
  rate_burst: 8,
  rate_per_s: 2,
  queue_bytes: 262_144,
  queues_mb: 256,
  stall_s: 30,
}

export type SshFixture = Awaited<ReturnType<typeof startSshServer>>

/** Lets everybody in under the name they ask for. */
export const personCalled = (name: string): Person => ({
  id: name as PersonId,
  name,
  admin: false,
  guest: false,
})

/** A handler that lets everybody in; a test says what else it does. */
export const handlerWith = (methods: Partial<ClientHandler>): ClientHandler => ({
  identify: (name) => Promise.resolve(personCalled(name)),
  shell: () => Promise.resolve(),
  exec: () => Promise.resolve(0),
  ...methods,
})

/** Our SSH server, listening on a free port of the loopback. `proxies` are the networks whose connections have a header. */
export async function startSshServer(
  handler: ClientHandler,
  limits: Partial<SshLimits> = {},
  proxies: readonly string[] = [],
) {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-ssh-'))
  const logged: { text: string; facts: object }[] = []
  const keep = (facts: object, text: string): void => void logged.push({ text, facts })
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep }
  const server = new SshServer({
    hostKeys: await loadHostKeys(dir),
    limits: { ...sshLimits, ...limits },
    banner: () => 'No key yet? Make one with: ssh-keygen -t ed25519',
    cas: () => [],
    proxies: () => proxies,
    handler,
    now: () => Date.now(),
    countLogin: () => undefined,
    log,
  })
  const { port } = await server.listen('127.0.0.1', 0)
  const stop = (): Promise<void> => server[Symbol.asyncDispose]()
  return {
    port,
    logged,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
