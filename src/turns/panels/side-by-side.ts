import type { ModelSettings } from '../../wrap/index.ts'
import type { AskedModel } from '../personas.ts'

/** Requests of a panel that run at once. */
const AT_ONCE = 2

/**
 * Runs `ask` for each member, two at once, but those of one local server one after the other. Resolves to the
 * results in the order of the members. Rejects as `ask` does.
 */
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
      // The other worker comes back for what its own server has to do.
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

/** Returns the same text for models of one local server; undefined for a hosted model. */
function serverOf({ backend, endpoint }: ModelSettings): string | undefined {
  if (endpoint === undefined) return LOCAL_BACKENDS.includes(backend) ? backend : undefined
  const { host, hostname } = new URL(endpoint)
  return LOCAL_HOST.test(hostname) ? host : undefined
}
