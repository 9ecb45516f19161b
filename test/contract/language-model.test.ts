import { createModel } from '../../src/adapters/models/index.ts'
import type { Backend } from '../../src/prompt/model-settings.ts'
import { languageModelExam } from './language-model-exam.ts'
import { sampleConfig } from '../support/model-request.ts'
import { calls, says, startModelServer } from '../support/model-server.ts'

languageModelExam('guide', async () => ({
  model: createModel(sampleConfig({ name: 'guide', backend: 'guide' })),
  expectText: () => 'ann: @guide tools',
  expectCall: () => 'ann: @guide call Grep {"q": "x"}',
  expectEnd() {},
  async [Symbol.asyncDispose]() {},
}))

/** All of these speak the chat-completions stream, each through its own package or address rules. */
const served: readonly Backend[] = ['openai-compatible', 'ollama', 'llamacpp', 'openai']

for (const backend of served) {
  languageModelExam(backend, async () => {
    const server = await startModelServer()
    return {
      model: createModel(sampleConfig({ backend, endpoint: server.endpoint })),
      expectText() {
        server.play(says('hel', 'lo'))
        return 'ann: @qwen hello'
      },
      expectCall() {
        server.play(calls('Grep', { q: 'x' }))
        return 'ann: @qwen search x'
      },
      expectEnd: () => server.play(says('found it')),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  })
}
