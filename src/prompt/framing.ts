/**
 * What a provider adds to what we send, in tokens. None of the hosted ones documents its exact prompt
 * format, so these are facts with a date; what they miss, the learned calibration makes up for.
 */
export interface Framing {
  /** For each request: role marks and the beginning of the answer. */
  readonly perRequest: number
  /** Once, when there are tools at all. */
  readonly perToolset: number
  /** For each tool. */
  readonly perTool: number
  /** What a definition's tokens are multiplied by. */
  readonly factor: number
  /** How far the sum may be off, in per cent; 0 where it is exact. */
  readonly tolerance: number
  /** Where the figures come from, and when they were looked up. */
  readonly source: string
}

const exact: Framing = {
  perRequest: 0,
  perToolset: 0,
  perTool: 0,
  factor: 1,
  tolerance: 0,
  source: 'our own program: what is counted is what it reads',
}

const unknown: Framing = {
  perRequest: 16,
  perToolset: 0,
  perTool: 8,
  factor: 1.25,
  tolerance: 25,
  source: 'assumed for chat templates of unknown models, 2026-11',
}

const openai: Framing = {
  perRequest: 9,
  perToolset: 12,
  perTool: 9,
  factor: 1,
  tolerance: 26,
  source:
    'OpenAI Cookbook, How to count tokens with tiktoken: 3 a message, 3 for the answer, 7 a function (10 before gpt-4o), 3 a property, 12 at the end of the functions; usages recorded in openai-messages-token-helper, tests/functions.py; 2026-11',
}

const anthropic: Framing = {
  perRequest: 16,
  perToolset: 804,
  perTool: 8,
  factor: 1.3,
  tolerance: 30,
  source:
    'docs.anthropic.com/en/docs/tool-use-pricing-and-tokens: a system prompt of 159 to 804 tokens by model and tool choice, the dearest taken; its newer tokenizers give about 30 % more than o200k; 2026-11',
}

/** countTokens of its API takes whole requests, declarations included; how they are written is not documented. */
const gemini: Framing = {
  ...unknown,
  source:
    'ai.google.dev/gemini-api/docs/tokens: a token is about four characters, no framing is documented; 2026-11',
}

const table: ReadonlyMap<string, Framing> = new Map([
  ['guide', exact],
  ['openai', openai],
  ['anthropic', anthropic],
  ['gemini', gemini],
])

/** The figures for a backend (a `ModelProfile`'s); careful ones where nothing is known. */
export const framingOf = (backend: string): Framing => table.get(backend) ?? unknown
