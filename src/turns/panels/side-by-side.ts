import type { ModelSettings } from '../../wrap/index.ts'
import type { AskedModel } from '../personas.ts'

/** Requests of a panel that run at once. */
const AT_ONCE = 2

/** At most two at once, and one per local server. Results have the members' order. Rejects as `ask` does. */
export async function askSideBySide<Member extends AskedModel, Result>(
  members: readonly Member[],
  ask: (member: Member) => Promise<Result>,
): Promise<readonly Result[]> {
  const waiting = [...members]
  const busy = new Set<string | undefined>()
  const results = new Map<Member, Result>()
  const work = async (): Promise<void> => {
    for (;;) {
      const at = waiting.findIndex(({ model }) => !busy.has(serverOf(model.settings)))
      const member = waiting[at]
      // The other worker will ask the remaining members of its own server.
      if (!member) return
      waiting.splice(at, 1)
      const server = serverOf(member.model.settings)
      if (server !== undefined) busy.add(server)
      results.set(member, await ask(member))
      busy.delete(server)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return members.flatMap((member) => (results.has(member) ? [results.get(member) as Result] : []))
}

const LOCAL_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[^.]+$|.*\.local$)/
const LOCAL_BACKENDS: readonly string[] = ['ollama', 'llamacpp']

/** Returns an equal text for models of one local server; undefined for a hosted model. */
function serverOf({ backend, endpoint }: ModelSettings): string | undefined {
  if (endpoint === undefined) return LOCAL_BACKENDS.includes(backend) ? backend : undefined
  const { host, hostname } = new URL(endpoint)
  return LOCAL_HOST.test(hostname) ? host : undefined
}
