import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { OLLAMA_ENDPOINT } from './ollama.ts'

/** A `[[models]]` entry for a model that was found. */
export interface FoundModel {
  readonly name: string
  readonly backend: 'ollama'
  readonly model: string
  readonly endpoint: string
}

/** What `GET /api/tags` lists (https://docs.ollama.com/api/tags), as far as it is read here. */
const tagsSchema = z.object({ models: z.array(z.object({ name: z.string().min(1) })) })

/** Milliseconds to wait for the list of models. */
const WAIT_MS = 500

/** The models that an Ollama on this machine has pulled, named for mentioning; none where there is no Ollama. */
export async function findOllamaModels(endpoint = OLLAMA_ENDPOINT): Promise<readonly FoundModel[]> {
  const answer = await getJson(`${endpoint}/api/tags`).catch(() => undefined)
  const listed = tagsSchema.safeParse(answer)
  const models = listed.success ? listed.data.models.map((model) => model.name) : []
  // Shortened names may be equal. The first model keeps the name, and the others need a [[models]] entry.
  const named = new Map(models.toReversed().map((model) => [mentionName(model, models), model]))
  return [...named].toReversed().map(([name, model]) => ({ name, backend: 'ollama', model, endpoint }))
}

/** With `node:http`, because loading `fetch` takes a tenth of the server's start. Rejects for whatever goes wrong. */
const getJson = (url: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(WAIT_MS) }, (response) => {
      text(response)
        .then((body) => resolve(JSON.parse(body)), reject)
        .catch(reject)
    })
    request.on('error', reject)
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
