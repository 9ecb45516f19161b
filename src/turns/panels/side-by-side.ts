import type { ModelSettings } from '../../wrap/index.ts'
import type { ConfiguredModel } from '../../wrap/loop/index.ts'

/** Requests of a panel that run at once. */
const AT_ONCE = 2

/**
 * Runs `ask` for each model, two at once, but models of one local server one after the other. Resolves to the
 * results in the order of the models. Rejects as `ask` does.
 */
export async function askSideBySide<Result>(
  models: readonly ConfiguredModel[],
  ask: (model: ConfiguredModel) => Promise<Result>,
): Promise<readonly Result[]> {
  const waiting = [...models]
  const busy = new Set<string>()
  const results = new Map<ConfiguredModel, Result>()
  const work = async (): Promise<void> => {
    for (;;) {
      const at = waiting.findIndex(({ settings }) => !busy.has(serverOf(settings)))
      const model = waiting[at]
      // The other worker comes back for what its own server has to do.
      if (!model) return
      waiting.splice(at, 1)
      const server = serverOf(model.settings)
      busy.add(server)
      results.set(model, await ask(model))
      busy.delete(server)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return models.flatMap((model) => (results.has(model) ? [results.get(model) as Result] : []))
}

const LOCAL_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[^.]+$|.*\.local$)/
const LOCAL_BACKENDS: readonly string[] = ['ollama', 'llamacpp']

/** Returns the same text for models of one local server. A hosted model has a text of its own. */
function serverOf({ name, backend, endpoint }: ModelSettings): string {
  if (endpoint === undefined) return LOCAL_BACKENDS.includes(backend) ? backend : `@${name}`
  const { host, hostname } = new URL(endpoint)
  return LOCAL_HOST.test(hostname) ? host : `@${name}`
}
