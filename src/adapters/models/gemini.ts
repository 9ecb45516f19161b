import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import { ProviderError } from './errors.ts'
import { reportOf, type Dialect } from './answer.ts'
import { countIn, listIn, objectIn, textIn, type Fields } from './loose.ts'
import { endpoint, REQUEST_KEYS, type ModelAccess, type Provider } from './provider.ts'
import { sdkModel } from './sdk-model.ts'
import { thoughtTokens } from './settings.ts'

export const gemini: Provider = {
  create: sdkModel({
    endpointOf: (access) => endpoint(access, 'https://generativelanguage.googleapis.com/v1beta'),
    async load(options, { model }) {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI(options)(model)
    },
    dialect: geminiDialect,
    settings: geminiSettings,
  }),
  // How its API writes declarations is not documented.
  framing: {
    ...CAREFUL_FRAMING,
    source:
      'ai.google.dev/gemini-api/docs/tokens: a token is about four characters, no framing is documented; its error of 400 names 512 declarations (google-gemini/gemini-cli, issue 19083); 2026-11',
    maxTools: 512,
  },
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed'],
  usual: {
    name: 'gemini',
    model: 'gemini-2.5-flash',
    context_window: 128_000,
    api_key_env: 'GEMINI_API_KEY',
  },
}

/** Models before Gemini 3 think for a number of tokens (ai.google.dev/gemini-api/docs/thinking). */
function geminiSettings(access: ModelAccess, maxOutput: number): Fields {
  const { model, temperature, topP, seed, stop, effort } = access
  const isOld = /gemini-[12]\b/.test(model)
  const thinkingConfig = effort && {
    includeThoughts: true,
    ...(isOld ? { thinkingBudget: thoughtTokens(effort, maxOutput) } : { thinkingLevel: effort }),
  }
  return { generationConfig: { temperature, topP, seed, stopSequences: stop, thinkingConfig } }
}

/** ai.google.dev/api/generate-content */
function geminiDialect(): Dialect {
  return {
    read(event) {
      const candidate = objectIn(listIn(event['candidates'])[0])
      const parts = listIn(objectIn(candidate['content'])['parts']).flatMap((part) => partIn(objectIn(part)))
      const finishReason = textIn(candidate['finishReason']) || undefined
      if (finishReason?.startsWith('MALFORMED_'))
        throw new ProviderError({
          message: `it could not read what the model wrote (${finishReason})`,
          status: 503,
        })
      const blockReason = textIn(objectIn(event['promptFeedback'])['blockReason']) || undefined
      if (parts.length === 0 && !finishReason && !blockReason) return undefined
      return {
        candidates: [{ content: { parts }, finishReason }],
        ...(blockReason ? { promptFeedback: { blockReason } } : {}),
      }
    },
    usage(event) {
      const counts = objectIn(event['usageMetadata'])
      if (Object.keys(counts).length === 0) return undefined
      // Gemini leaves a count of 0 out.
      const said = 'candidatesTokenCount' in counts ? countIn(counts['candidatesTokenCount']) : 0
      const output = said === undefined ? undefined : said + (countIn(counts['thoughtsTokenCount']) ?? 0)
      return reportOf({
        input: countIn(counts['promptTokenCount']),
        cached: countIn(counts['cachedContentTokenCount']),
        output,
      })
    },
  }
}

function partIn({ text, thought, thoughtSignature, functionCall }: Fields): object | [] {
  const signature = textIn(thoughtSignature)
  const signed = signature ? { thoughtSignature: signature } : {}
  const call = objectIn(functionCall)
  const name = textIn(call['name'])
  if (name) {
    const functionCall = { id: textIn(call['id']) || undefined, name, args: call['args'] ?? {} }
    return { functionCall, ...signed }
  }
  const said = textIn(text)
  return said === undefined ? [] : { text: said, thought: thought === true, ...signed }
}
