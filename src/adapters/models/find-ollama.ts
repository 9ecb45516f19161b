import { z } from 'zod'
import type { ModelConfig } from './config.ts'

/** Where Ollama listens unless told otherwise (https://docs.ollama.com/faq). */
const OLLAMA = 'http://localhost:11434'

/** What `GET /api/tags` lists (https://docs.ollama.com/api/tags), as far as it is read here. */
const tags = z.object({ models: z.array(z.object({ name: z.string().min(1) })) })

const WAIT_MS = 500

/** The models that an Ollama on this machine has pulled, named for mentioning; none where there is no Ollama. */
export async function findOllamaModels(endpoint = OLLAMA): Promise<readonly ModelConfig[]> {
  const answer = await fetch(`${endpoint}/api/tags`, { signal: AbortSignal.timeout(WAIT_MS) })
    .then((response) => response.json())
    .catch(() => undefined)
  const listed = tags.safeParse(answer)
  const models = listed.success ? listed.data.models.map((model) => model.name) : []
  // Names cut short may meet; the first keeps its name, and the others need a [[models]] entry.
  const named = new Map(models.toReversed().map((model) => [mentionName(model, models), model]))
  return [...named].toReversed().map(([name, model]) => asConfig(model, name, endpoint))
}

const asConfig = (model: string, name: string, endpoint: string): ModelConfig => ({
  ...{ name, model, endpoint, backend: 'ollama', systemPrompt: '', tools: 'all', enabled: true },
  ...{ contextWindow: 32_768, maxOutput: 4_096, encoding: 'o200k_base' },
})

/** `qwen3:8b` is called `qwen3` where it is the only one of its family, else `qwen3-8b`. */
function mentionName(model: string, all: readonly string[]): string {
  const family = familyOf(model)
  const alone = all.filter((other) => familyOf(other) === family).length === 1
  return legal(alone ? family : model)
}

const familyOf = (model: string): string => model.split('/').at(-1)!.split(':')[0]!

const legal = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]/g, '-')
    .slice(0, 32)
