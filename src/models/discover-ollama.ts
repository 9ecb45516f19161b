import { Agent, request, type RequestOptions } from 'node:http'
import { json } from 'node:stream/consumers'
import { asList, asObject, asText } from './loose.ts'
import { OLLAMA_ENDPOINT } from './ollama.ts'

export interface FoundModel {
  readonly name: string
  readonly backend: 'ollama'
  readonly model: string
  readonly endpoint: string
}

/** Time limit in ms for the list of models, and again for all their details. */
const WAIT_MS = 500
const MAX_SOCKETS = 8

/** Returns the local Ollama's models that can answer, with names for mentions; empty without an Ollama. */
export async function discoverOllamaModels(endpoint = OLLAMA_ENDPOINT): Promise<readonly FoundModel[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  try {
    const answer = await askJson(`${endpoint}/api/tags`, { agent, signal: AbortSignal.timeout(WAIT_MS) })
    const all = asList(asObject(answer)['models']).flatMap((model) => asText(asObject(model)['name']) || [])
    const options = { agent, signal: AbortSignal.timeout(WAIT_MS) }
    const able = await Promise.all(all.map((model) => canAnswer(model, endpoint, options)))
    const models = all.filter((_, index) => able[index])
    // Shortened names may collide: the first model gets the name; others need a [[models]] entry.
    const byName = new Map(models.toReversed().map((model) => [mentionName(model, models), model]))
    return [...byName].toReversed().map(([name, model]) => ({ name, backend: 'ollama', model, endpoint }))
  } catch {
    return []
  } finally {
    agent.destroy()
  }
}

/** False if Ollama says that the model does something else, such as embedding. Older versions do not say. */
async function canAnswer(model: string, endpoint: string, options: AskOptions): Promise<boolean> {
  const answer = await askJson(`${endpoint}/api/show`, options, { model }).catch(() => undefined)
  const { capabilities } = asObject(answer)
  return !capabilities || asList(capabilities).includes('completion')
}

type AskOptions = Pick<RequestOptions, 'agent' | 'signal'>

/** Uses `node:http`: loading `fetch` takes a tenth of the server's start. Rejects on any failure. */
const askJson = (url: string, options: AskOptions, body?: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const asking = request(url, { ...options, method: body ? 'POST' : 'GET' }, (response) => {
      json(response).then(resolve, reject)
    })
    asking.on('error', reject)
    asking.end(body && JSON.stringify(body))
  })

/** Shortens `qwen3:8b` to `qwen3` if it is the only model of its family, else to `qwen3-8b`. */
function mentionName(model: string, all: readonly string[]): string {
  const family = familyOf(model)
  const isAlone = all.filter((other) => familyOf(other) === family).length === 1
  const name = (isAlone ? family : model).toLowerCase()
  return name.replaceAll(/[^a-z0-9_.-]/g, '-').slice(0, 32)
}

const familyOf = (model: string): string => model.replace(/^.*\//, '').replace(/:.*$/, '')
