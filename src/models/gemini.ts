import { CAREFUL_FRAMING } from '../wrap/index.ts'
import type { Dialect, Piece } from './answer.ts'
import { geminiSchema } from './gemini-schemas.ts'
import { argumentsText, asList, asObject, sumOf, asText } from './loose.ts'
import { endpoint, REQUEST_KEYS, type KnownPictures, type ModelAccess, type Provider } from './provider.ts'
import { askBySdk, servedModel } from './served-model.ts'
import { thoughtTokens } from './settings.ts'

/**
 * Tiles of 258 tokens (ai.google.dev/gemini-api/docs/tokens); Gemini 3 by default takes 1,120 tokens for a
 * picture (ai.google.dev/gemini-api/docs/media-resolution); 2026-11.
 */
const geminiPictures = (model: string): KnownPictures => ({
  takes: !/^gemma-(?:2|3-1b)/.test(model),
  rule: /^gemini-2|^gemini-1/.test(model)
    ? { kind: 'crops', tokens: 258 }
    : { kind: 'pixels', pixels: 1, least: 1120, most: 1120 },
})

export const gemini: Provider = {
  create: servedModel({
    endpointOf: (access) => endpoint(access, 'https://generativelanguage.googleapis.com/v1beta'),
    ask: askBySdk({
      async load(options, { model }) {
        const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
        return createGoogleGenerativeAI(options)(model)
      },
      settings: geminiSettings,
      schema: geminiSchema,
      picturesInResults: () => true,
    }),
    dialect: () => geminiDialect,
  }),
  // Google does not document how the API serializes tool declarations.
  framing: {
    ...CAREFUL_FRAMING,
    source:
      'ai.google.dev/gemini-api/docs/tokens: a token is about four characters, no framing is documented; its error of 400 names 512 declarations (google-gemini/gemini-cli, issue 19083); 2026-11',
    maxTools: 512,
  },
  pictures: geminiPictures,
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed'],
  usual: {
    name: 'gemini',
    model: 'gemini-2.5-flash',
    context_window: 128_000,
    api_key_env: 'GEMINI_API_KEY',
  },
}

/** Models before Gemini 3 take a number of thinking tokens (ai.google.dev/gemini-api/docs/thinking). */
function geminiSettings(access: ModelAccess, maxOutput: number) {
  const { model, temperature, topP, seed, stop, effort } = access
  const isOld = /gemini-[12]\b/.test(model)
  const thinkingConfig = effort && {
    includeThoughts: true,
    ...(isOld ? { thinkingBudget: thoughtTokens(effort, maxOutput) } : { thinkingLevel: effort }),
  }
  return { generationConfig: { temperature, topP, seed, stopSequences: stop, thinkingConfig } }
}

/** Source: ai.google.dev/api/generate-content */
const geminiDialect: Dialect = {
  field: 'candidates',
  *read(event) {
    const { content, finishReason } = asObject(asList(event['candidates'])[0])
    const parts = typeof content === 'string' ? content : asObject(content)['parts']
    for (const part of asList(parts)) yield* piecesOfPart(part)
    const end = asText(finishReason) ?? asText(asObject(event['promptFeedback'])['blockReason'])
    if (end && !end.endsWith('_UNSPECIFIED')) yield { end }
  },
  usage({ usageMetadata }) {
    const counts = asObject(usageMetadata)
    // Gemini omits counts of 0.
    const { candidatesTokenCount = 0, thoughtsTokenCount } = counts
    return {
      input: counts['promptTokenCount'],
      cached: counts['cachedContentTokenCount'],
      output: usageMetadata ? sumOf(candidatesTokenCount, thoughtsTokenCount ?? 0) : undefined,
    }
  },
}

/** The SDK sends `google` back in the next request. */
function* piecesOfPart(part: unknown): Iterable<Piece> {
  const { text: said = part, thought, thoughtSignature, functionCall } = asObject(part)
  const signature = asText(thoughtSignature)
  const providerData = signature ? { google: { thoughtSignature: signature } } : undefined
  const { name, id, args } = asObject(functionCall)
  const text = asText(said)
  if (name) {
    const [called, written] = [asText(name), argumentsText(args) ?? '{}']
    yield { call: { isWhole: true, id: asText(id), name: called, arguments: written, providerData } }
  } else if (thought === true && (text || providerData)) yield { thought: { text, providerData } }
  else if (text) yield { text }
}
