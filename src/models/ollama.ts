import type { Picture } from '../words/picture.ts'
import type { ModelFacts, ModelRequest, RequestMessage } from '../wrap/loop/index.ts'
import { CAREFUL_FRAMING, systemAndUser } from '../wrap/index.ts'
import type { Dialect } from './answer.ts'
import { authorizationHeader, queryServer } from './fetch.ts'
import {
  argumentsText,
  asCount,
  hasContent,
  asList,
  asObject,
  asParsedObject,
  asText,
  joinTexts,
  type Fields,
} from './loose.ts'
import type { PictureMarks } from './picture-marks.ts'
import { endpoint, REQUEST_KEYS, type ModelAccess, type Provider } from './provider.ts'
import { picturesOfStep } from './sdk-prompt.ts'
import { servedModel } from './served-model.ts'
import { merge } from './settings.ts'

/** Source: docs.ollama.com/faq */
export const OLLAMA_ENDPOINT = 'http://localhost:11434'

const endpointOf = (access: ModelAccess): string =>
  endpoint(access, OLLAMA_ENDPOINT).replace(/\/(?:v1|api(?:\/chat)?)$/, '')

export const ollama: Provider = {
  create: servedModel({
    endpointOf,
    ask: (request, { access, endpoint: base, marks, post }) =>
      post(
        `${base}/api/chat`,
        { 'content-type': 'application/json', ...authorizationHeader(access) },
        chatBody(request, access, marks),
      ),
    dialect: () => ollamaDialect,
    advice: 'is ollama running?',
    inquire: async (access, signal) =>
      parseFacts(
        await queryServer(`${endpointOf(access)}/api/show`, access, signal, { model: access.model }),
      ),
  }),
  framing: CAREFUL_FRAMING,
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed', 'think', 'options', 'keep_alive'],
}

/** Source: docs.ollama.com/api/chat */
const ollamaDialect: Dialect = {
  field: 'message',
  *read({ message, done, done_reason }) {
    const fields = asObject(message)
    const thought = joinTexts(fields['thinking'])
    if (thought) yield { thought: { text: thought } }
    const text = joinTexts(fields['content'])
    if (text) yield { text }
    for (const call of asList(fields['tool_calls']).map(asObject).filter(hasContent)) {
      const { name, arguments: args } = asParsedObject(call['function'] ?? call)
      const [id, written] = [asText(call['id']), argumentsText(args) ?? '{}']
      yield { call: { isWhole: true, id, name: asText(name), arguments: written } }
    }
    // `load` and `unload` mean that the prompt was not processed (github.com/ollama/ollama, docs/api.md).
    if (done === true || done === 1 || done === 'true') yield { end: asText(done_reason) ?? '' }
  },
  usage: ({ prompt_eval_count, eval_count }) => ({ input: prompt_eval_count, output: eval_count }),
}

/**
 * Always sends the whole window as `num_ctx`: without it the server chooses one, often 4,096 tokens
 * (docs.ollama.com/context-length), and silently truncates longer prompts; a changed one makes it reload the
 * model. Newer versions obey `truncate` and `shift` (api/types.go at v0.33.2).
 */
function chatBody(request: ModelRequest<RequestMessage>, access: ModelAccess, marks: PictureMarks): Fields {
  const { prompt, messages, pictures = [], tools, maxOutput, contextWindow } = request
  const { withoutSystemRole = false } = request
  const { system, user } = systemAndUser(prompt, withoutSystemRole)
  const { temperature, topP, seed, stop, effort, options = {} } = access
  // Only gpt-oss has levels of thinking; some versions refuse them for other models (server/routes.go).
  const thinking = effort && (/gpt-?oss/i.test(access.model) ? effort : true)
  const settings = { temperature, top_p: topP, seed, stop, num_ctx: contextWindow, num_predict: maxOutput }
  return {
    model: access.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: user, ...imagesOf(pictures, marks) },
      ...messages.flatMap((step, index) => {
        const seen = picturesOfStep(messages, index)
        return [
          messageOf(step),
          ...(seen.length > 0 ? [{ role: 'user', content: '', ...imagesOf(seen, marks) }] : []),
        ]
      }),
    ],
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
    stream: true,
    truncate: false,
    shift: false,
    options: merge(settings, options),
    think: access.think ?? thinking,
    keep_alive: access.keepAlive,
  }
}

const imagesOf = (
  pictures: readonly Picture[],
  marks: PictureMarks,
): { readonly images?: readonly string[] } =>
  pictures.length === 0 ? {} : { images: pictures.map((one) => marks.add(one)) }

function messageOf(step: RequestMessage): object {
  switch (step.role) {
    case 'user':
      return { role: 'user', content: step.text }
    case 'tool':
      return { role: 'tool', tool_name: step.name, content: step.content }
    case 'assistant': {
      const thinking = (step.thoughts ?? []).map(({ text }) => text).join('')
      const tool_calls = step.calls.map(({ name, arguments: args }) => ({
        function: { name, arguments: asParsedObject(args) },
      }))
      return {
        role: 'assistant',
        content: step.text,
        ...(thinking && { thinking }),
        ...(tool_calls.length > 0 && { tool_calls }),
      }
    }
  }
}

/** Source: docs.ollama.com/api-reference/show-model-details; older versions have no capabilities. */
function parseFacts(shown: Fields): ModelFacts {
  const info = asObject(shown['model_info'])
  const window = asCount(info[`${asText(info['general.architecture'])}.context_length`])
  const template = asText(shown['template']) ?? ''
  const modelfile = asText(shown['modelfile']) ?? ''
  return {
    ...(window ? { window } : {}),
    ...(shown['capabilities']
      ? {
          tools: asList(shown['capabilities']).includes('tools'),
          images: asList(shown['capabilities']).includes('vision'),
        }
      : {}),
    ...(dropsSystem(template, modelfile) ? { systemRole: false } : {}),
  }
}

/** True if the template silently drops a system message and no renderer replaces the template. */
const dropsSystem = (template: string, modelfile: string): boolean =>
  template !== '' && !/system|\.Messages/i.test(template) && !/^RENDERER /m.test(modelfile)
