import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { listIn, objectIn, textIn } from './loose.ts'
import { OLLAMA_ENDPOINT } from './ollama.ts'

export interface FoundModel {
  readonly name: string
  readonly backend: 'ollama'
  readonly model: string
  readonly endpoint: string
}

/** Milliseconds for the list of models, and then for what is told of them. */
const WAIT_MS = 500
const MAX_SOCKETS = 8

/**
 * The models that an Ollama on this machine can answer with, named for mentioning; none without an Ollama.
 */
export async function discoverOllamaModels(endpoint = OLLAMA_ENDPOINT): Promise<readonly FoundModel[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  try {
    const answer = await askJson(`${endpoint}/api/tags`, { agent, signal: AbortSignal.timeout(WAIT_MS) })
    const models = listIn(objectIn(answer)['models']).flatMap(
      (model) => textIn(objectIn(model)['name']) || [],
    )
    const shown = { agent, signal: AbortSignal.timeout(WAIT_MS) }
    const answers = await Promise.all(models.map((name) => canAnswer(name, endpoint, shown)))
    return named(
      models.flatMap((name, index) => (answers[index] ? name : [])),
      endpoint,
    )
  } catch {
    return []
  } finally {
    agent.destroy()
  }
}

/** False if Ollama says that the model does something else, such as embedding. Older versions say nothing. */
async function canAnswer(model: string, endpoint: string, options: AskOptions): Promise<boolean> {
  const answer = await askJson(`${endpoint}/api/show`, options, { model }).catch(() => undefined)
  const { capabilities } = objectIn(answer)
  return !capabilities || listIn(capabilities).includes('completion')
}

/** Shortened names may be equal. The first model keeps the name, and the others need a [[models]] entry. */
function named(models: readonly string[], endpoint: string): readonly FoundModel[] {
  const byName = new Map(models.toReversed().map((model) => [mentionName(model, models), model]))
  return [...byName].toReversed().map(([name, model]) => ({ name, backend: 'ollama', model, endpoint }))
}

interface AskOptions {
  readonly agent: Agent
  readonly signal: AbortSignal
}

/** With `node:http`: loading `fetch` takes a tenth of the server's start. Rejects if anything goes wrong. */
const askJson = (url: string, options: AskOptions, body?: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const asking = request(url, { ...options, method: body ? 'POST' : 'GET' }, (response) => {
      text(response)
        .then((answer) => resolve(JSON.parse(answer)), reject)
        .catch(reject)
    })
    asking.on('error', reject)
    asking.end(body && JSON.stringify(body))
  })

/** `qwen3:8b` is called `qwen3` where it is the only one of its family, else `qwen3-8b`. */
function mentionName(model: string, all: readonly string[]): string {
  const family = familyOf(model)
  const alone = all.filter((other) => familyOf(other) === family).length === 1
  return legal(alone ? family : model)
}

const familyOf = (model: string): string => model.replace(/^.*\//, '').replace(/:.*$/, '')

const legal = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]/g, '-')
    .slice(0, 32)
