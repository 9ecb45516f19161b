import { BACKENDS, createModel, type Backend } from '../../src/models/providers.ts'
import { languageModelExam, type Examinee } from './language-model-exam.ts'
import { anthropicWire, chatWire, geminiWire, type Wire } from '../support/hosted-wires.ts'
import { ollamaWire } from '../support/ollama-wire.ts'
import { sampleConfig } from '../support/model-request.ts'
import { startModelServer } from '../support/model-server.ts'

/** The guide needs no server: what it does is in the message. */
const guide = async (): Promise<Examinee> => ({
  model: createModel(sampleConfig({ name: 'guide', backend: 'guide' })),
  expectText: () => 'ann: @guide tools',
  expectCall: () => 'ann: @guide call Grep {"q": "x"}',
  expectEnd() {},
  async [Symbol.asyncDispose]() {},
})

/** A provider whose server speaks this wire format. */
const served = (backend: Backend, wire: Wire) => async (): Promise<Examinee> => {
  const server = await startModelServer()
  return {
    model: createModel(sampleConfig({ backend, endpoint: server.endpoint })),
    expectText() {
      server.play(wire.says('hello'))
      return 'ann: @qwen hello'
    },
    expectCall() {
      server.play(wire.calls('Grep', { q: 'x' }))
      return 'ann: @qwen search x'
    },
    expectEnd: () => server.play(wire.says('found it')),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Every provider of the list: one that is missing here does not pass the type check. */
const EXAMINEES: Readonly<Record<Backend, () => Promise<Examinee>>> = {
  guide,
  ollama: served('ollama', ollamaWire),
  llamacpp: served('llamacpp', chatWire),
  'openai-compatible': served('openai-compatible', chatWire),
  openai: served('openai', chatWire),
  anthropic: served('anthropic', anthropicWire),
  gemini: served('gemini', geminiWire),
}

for (const backend of BACKENDS) languageModelExam(backend, EXAMINEES[backend])
