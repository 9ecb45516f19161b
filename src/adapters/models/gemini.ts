import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import { ProviderError } from './errors.ts'
import { addCall, reportOf, type Dialect } from './answer.ts'
import { geminiSchema } from './gemini-schemas.ts'
import { argumentsIn, countIn, jsonIn, listIn, objectIn, textIn, type Fields } from './loose.ts'
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
    schema: geminiSchema,
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
  const calls: object[] = []
  let hasEnd = false
  const ended = (finishReason: string): object => ({ candidates: [{ content: { parts: [] }, finishReason }] })
  return {
    field: 'candidates',
    read(event) {
      const { content, finishReason } = objectIn(listIn(event['candidates'])[0])
      const parts = listIn(typeof content === 'string' ? content : objectIn(content)['parts']).flatMap(partIn)
      for (const part of parts) if ('functionCall' in part) addCall(calls, part)
      const reason = textIn(finishReason)?.toUpperCase()
      if (reason?.startsWith('MALFORMED_'))
        throw new ProviderError({
          message: `it could not read what the model wrote (${reason})`,
          status: 503,
        })
      const blockReason = textIn(objectIn(event['promptFeedback'])['blockReason'])
      const isEnd = Boolean(reason) && reason !== 'FINISH_REASON_UNSPECIFIED'
      hasEnd ||= isEnd || Boolean(blockReason)
      return [
        ...(parts.length > 0 ? [{ candidates: [{ content: { parts } }] }] : []),
        ...(isEnd ? [ended(reason ?? '')] : []),
        ...(blockReason ? [{ promptFeedback: { blockReason } }] : []),
      ]
    },
    end: (isWhole) => (isWhole && !hasEnd ? [ended('STOP')] : []),
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

function partIn(part: unknown): object | [] {
  const { text, thought, thoughtSignature, functionCall } = objectIn(part)
  const signature = textIn(thoughtSignature)
  const signed = signature ? { thoughtSignature: signature } : {}
  const call = objectIn(functionCall)
  const name = textIn(call['name'])
  if (name) {
    const args = argumentsIn(call['args']) ?? '{}'
    return {
      functionCall: { id: textIn(call['id']) || undefined, name, args: jsonIn(args) ?? args },
      ...signed,
    }
  }
  const said = textIn(text) ?? textIn(part)
  return said || signature ? { text: said ?? '', thought: thought === true, ...signed } : []
}
