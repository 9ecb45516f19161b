import { parse } from 'smol-toml'
import { createModel, type Backend } from '../../src/models/providers.ts'
import { checkConfig } from '../../src/server/config/file.ts'
import { modelsFrom } from '../../src/server/config/models.ts'
import type { Environment } from '../../src/server/config/environment.ts'
import { anthropicWire, chatWire, geminiWire, responsesWire, type Wire } from './hosted-wires.ts'
import { collect, sampleRequest } from './model-request.ts'
import { startModelServer, type RecordedRequest, type Script } from './model-server.ts'
import { ollamaWire } from './ollama-wire.ts'

const WIRES: Readonly<Record<Exclude<Backend, 'guide'>, Wire>> = {
  ollama: ollamaWire,
  llamacpp: chatWire,
  'openai-compatible': chatWire,
  openai: chatWire,
  anthropic: anthropicWire,
  gemini: geminiWire,
}

/** The keys of a `[[models]]` entry, as TOML, as the config makes a model of them. */
export function modelOf(keys: string, env: Environment = {}) {
  const { models } = checkConfig(`[[models]]\nname = "m"\n${keys}`, 'f.toml')
  const model = modelsFrom(models, env).find(({ name }) => name === 'm')
  if (!model) throw new Error('the config has no model called m')
  return model
}

/** The wire format that a model with these keys speaks. */
export function wireOf(keys: string): Wire {
  const { api, backend } = parse(keys) as { api?: string; backend: keyof typeof WIRES }
  return api === 'responses' ? responsesWire : WIRES[backend]
}

/**
 * The request that a model with these keys sends to a local server, which speaks its wire format and answers
 * `hello` unless `script` says otherwise; `ENDPOINT` in the keys is the address of the server.
 */
export async function requestOf(
  keys: string,
  { env = {}, script, maxOutput = 4096 }: { env?: Environment; script?: Script; maxOutput?: number } = {},
): Promise<RecordedRequest> {
  await using server = await startModelServer()
  const model = createModel(modelOf(keys.replaceAll('ENDPOINT', server.endpoint), env))
  server.play(script ?? wireOf(keys).says('hello'))
  const events = model.stream(sampleRequest({ maxOutput }, 'Grep'), new AbortController().signal)
  const all = await collect(events)
  if (!script && !all.some((event) => event.type === 'text' && event.text === 'hello'))
    throw new Error('the answer was not read')
  return server.requests[0]!
}
