import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import { endpoint } from './endpoint.ts'
import { hosted } from './hosted.ts'
import type { Provider } from './provider.ts'
import { geminiReport } from './usage.ts'

/** Google's Gemini by its own API. */
export const gemini: Provider = {
  create: hosted(
    (access) => endpoint(access, 'https://generativelanguage.googleapis.com/v1beta'),
    async (options, model) => {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI(options)(model)
    },
    { reportIn: geminiReport },
  ),
  // countTokens of its API takes whole requests, declarations included; how they are written is not documented.
  framing: {
    ...CAREFUL_FRAMING,
    source:
      'ai.google.dev/gemini-api/docs/tokens: a token is about four characters, no framing is documented; its error of 400 names 512 declarations (google-gemini/gemini-cli, issue 19083); 2026-11',
    maxTools: 512,
  },
  required: ['model'],
  usual: {
    name: 'gemini',
    model: 'gemini-2.5-flash',
    context_window: 128_000,
    api_key_env: 'GEMINI_API_KEY',
  },
}
