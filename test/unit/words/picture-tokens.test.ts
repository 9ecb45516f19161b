import { expect, it } from 'vitest'
import { CAREFUL_PICTURES, pictureTokens } from '../../../src/words/picture-tokens.ts'
import { modelOf } from '../../support/sent-requests.ts'

const OPENAI = 'backend = "openai"\nmodel ='

/** The examples on the providers' own pages, and the bounds of their rules. */
it.each([
  [`${OPENAI} "gpt-4o"`, 1024, 1024, 765],
  [`${OPENAI} "gpt-4o"`, 2048, 4096, 1105],
  [`${OPENAI} "gpt-4o"`, 8000, 100, 85 + 4 * 170],
  [`${OPENAI} "o1"`, 1024, 1024, 675],
  [`${OPENAI} "gpt-4o-mini"`, 512, 512, 2833 + 5667],
  [`${OPENAI} "gpt-4.1-mini"`, 1024, 1024, Math.ceil(1024 * 1.62)],
  [`${OPENAI} "gpt-5-nano"`, 8000, 5000, Math.ceil(1536 * 2.46)],
  ['backend = "anthropic"\nmodel = "claude-sonnet-4-5"', 1000, 1000, 1334],
  ['backend = "anthropic"\nmodel = "claude-sonnet-4-5"', 8000, 5000, 4784],
  ['backend = "gemini"\nmodel = "gemini-2.5-flash"', 384, 384, 258],
  ['backend = "gemini"\nmodel = "gemini-2.5-flash"', 960, 540, 258 * 6],
  ['backend = "gemini"\nmodel = "gemini-3-pro"', 4000, 3000, 1120],
  ['backend = "ollama"\nmodel = "qwen2.5vl"', 100, 100, 1024],
  ['backend = "ollama"\nmodel = "qwen2.5vl"', 8000, 5000, 4096],
])('a picture is counted by the rule of its provider: %s, %i × %i', (keys, width, height, tokens) => {
  expect(pictureTokens(modelOf(keys).pictureRule ?? CAREFUL_PICTURES, { width, height })).toBe(tokens)
})

it.each([
  [`${OPENAI} "gpt-4.1"`, true],
  [`${OPENAI} "gpt-3.5-turbo"`, false],
  [`${OPENAI} "gpt-3.5-turbo"\nimages = true`, true],
  [`${OPENAI} "gpt-4.1"\nimages = false`, false],
  ['backend = "openai-compatible"\nmodel = "x"\nendpoint = "http://localhost:1"', undefined],
  ['backend = "guide"', undefined],
])('the config or the provider says whether a model accepts pictures: %s', (keys, images) => {
  expect(modelOf(keys).images).toBe(images)
})
