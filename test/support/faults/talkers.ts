import { raisedLimits } from '../load/raised-limits.ts'
import { createSshHome, openSsh, ssh, type SshSession } from '../ssh.ts'
import { createSite, type SiteOptions } from './site.ts'

/** People in the lobby, one on each server of a site. */
export type Talkers = Awaited<ReturnType<typeof createTalkers>>

/** An entry as `history --json` prints it, as far as it is looked at. */
interface Shown {
  readonly kind: string
  readonly author: string
  readonly text: string
  readonly left?: readonly string[]
}

const NAMES = ['alice', 'bob', 'carol'] as const

const CONFIG = `[server]\naccess = "open"\n${raisedLimits({ presence_per_min: 1_000 })}`

export async function createTalkers(options: Omit<SiteOptions, 'config'>) {
  const site = await createSite({ ...options, config: CONFIG })
  const home = await createSshHome()
  const target = async (at: number) => {
    const user = NAMES[at] ?? ''
    const port = site.machines[at]?.server.port ?? 0
    return { user, port, key: await home.key(user), options: ['-o', 'LogLevel=ERROR', '-T'] }
  }
  const sessions: SshSession[] = []
  const shown = (at: number): readonly string[] =>
    sessions[at]?.output().match(new RegExp(`^(?:${NAMES.join('|')}): .*$`, 'gm')) ?? []
  async function entries(): Promise<readonly Shown[]> {
    const { stdout } = await ssh(await target(0), ['history', 'lobby', '-n', '500', '--json'])
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Shown)))
  }
  for (let at = 0; at < options.servers; at++) {
    const session = openSsh(await target(at))
    sessions.push(session)
    await session.waitFor('-- lobby')
    for (const other of sessions) await other.waitFor(`${NAMES[at]} joined`)
  }
  return {
    site,
    /** Each one's session, on the server with the same number. */
    sessions,
    /** The lines that a screen shows, from the top, without who came and what was refused. */
    shown,
    say: (at: number, text: string) => sessions[at]?.write(`${text}\n`),
    async heard(text: string, ...on: readonly number[]) {
      for (const at of on) await sessions[at]?.waitFor(`: ${text}\n`)
    },
    /** The lines in the log, in its order, as they are shown. */
    stored: async (): Promise<readonly string[]> =>
      (await entries()).flatMap(({ kind, author, text }) => (kind === 'message' ? `${author}: ${text}` : [])),
    /** Who has left, as the log says, once for each time. */
    left: async (): Promise<readonly string[]> => (await entries()).flatMap(({ left }) => left ?? []),
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
    },
  }
}
