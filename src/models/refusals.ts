import type { ModelRefusal } from '../wrap/loop/index.ts'

// Patterns match lower-case text with digits without commas, in linear time. Groups are numbers of tokens:
// `tokens` and `more` of the prompt, `total` of prompt and answer, `window` of both. sshawl stores the
// window, so numbers are read only from unambiguous texts.

/** OpenAI's status 429 for a request that can never succeed (github.com/Aider-AI/aider/issues/1880). */
const OVER_MINUTE =
  /request too large for .{0,200}tokens per min(?:ute)? \(tpm\): limit (?<window>\d+), requested (?<total>\d+)/

/** llama.cpp with a shared window: a retry may succeed (github.com/ggml-org/llama.cpp/issues/19774). */
const TOO_LONG_NOW = /context size has been exceeded/

/** Counts as a refusal only if the text also names a window. */
const OPENAI_PROMPT =
  /(?:\((?=\d+ (?:in|of) )|has |passed |messages resulted in |total of \d+ tokens: )(?<tokens>\d+) (?:in the messages|in your prompt|of text input(?:, (?<more>\d+) of tool input)?|input tokens|tokens)/

const TOO_LONG: readonly RegExp[] = [
  OVER_MINUTE,
  // OpenAI; DeepSeek, vLLM, SGLang, LiteLLM and OpenRouter use the same text.
  /(?:maximum context length (?:is |of )?\(?|context length is only |input tokens exceed the configured limit of )(?<window>\d+)/,
  // SGLang (github.com/sgl-project/sglang/issues/4048)
  /input (?:length )?\((?<tokens>\d+) tokens\) (?:is longer than the model's context|exceeds the maximum allowed) length \((?<window>\d+) tokens\)/,
  // Anthropic (github.com/anthropics/claude-code/issues/12186)
  /prompt is too long: (?<tokens>\d+) tokens > (?<window>\d+) maximum/,
  /exceed context limit:\s{0,20}(?<tokens>\d+) \+ \d+ > (?<window>\d+)/,
  // Gemini (github.com/google-gemini/gemini-cli/issues/6678)
  /input token count (?:\((?<tokens>\d+)\) )?exceeds the maximum number of tokens allowed \(?(?<window>\d+)/,
  // llama.cpp and Ollama (github.com/ggml-org/llama.cpp/pull/15780)
  /n_prompt_tokens\\?":\s{0,9}(?<tokens>\d+),\s{0,9}\\?"n_ctx\\?":\s{0,9}(?<window>\d+)/,
  /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<window>\d+) tokens\)/,
  // LM Studio (github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546)
  /keep the first (?<tokens>\d+) tokens when .{0,30}overflows.{0,60}context length of only (?<window>\d+)/,
  /n_keep: (?<tokens>\d+)\s{0,3}>=\s{0,3}n_ctx: (?<window>\d+)/,
  // Mistral and Kimi
  /prompt contains (?<tokens>\d+) tokens.{0,60}large for model with (?<window>\d+) maximum context/,
  /model token limit\s?: (?<window>\d+) \(requested: (?<total>\d+)\)/,
  // Fireworks, Cerebras
  /prompt is too long: (?<tokens>\d+), model maximum (?:context|prompt) length: (?<window>\d+)/,
  /current length is \d+ while limit is (?<window>\d+)/,
  // xAI and GitHub Copilot
  /maximum prompt length is (?<window>\d+) but the request contains (?<tokens>\d+)/,
  /prompt token count of (?<tokens>\d+) exceeds the limit of (?<window>\d+)/,
  // Text generation inference, Cohere, llama-cpp-python, DashScope
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<window>\d+)\. given: (?<tokens>\d+)/,
  /cannot exceed (?<window>\d+) - received (?<total>\d+)/,
  /requested tokens \((?<tokens>\d+)\) exceed context window of (?<window>\d+)/,
  /range of input length should be \[\d+, (?<window>\d+)\]/,
  // Texts without a reliable number, most from github.com/earendil-works/pi,
  // packages/ai/src/utils/overflow.ts
  /context_length_exceeded|request_too_large|request exceeds the maximum|model token limit/,
  /prompt (?:is )?too long|too long (?:for requested model|to fit into the model)|large for model with/,
  /exceeds? (?:(?:the|this|available|max(?:imum)?|model'?s?) ){0,4}context (?:window|size|length)|context window exceeds limit/,
  /(?:longer|greater) than the (?:maximum model|context) length|exceeds the maximum allowed input length/,
  /maximum prompt length is|prompt token count of|range of input length should be|too many tokens: total/,
  /`inputs` (?:tokens \+ `max_new_tokens` must be|must have less than)/,
  /reduce the length of the messages or completion/,
]

/** Texts of Ollama, vLLM, llama.cpp, Gemma on Gemini, OpenRouter, OpenAI's o1-mini, Azure, templates. */
const NO_TOOLS =
  /does not support tools|requires --enable-auto-tool-choice|tools param requires --jinja|function calling is not enabled for|no endpoints found that support tool use|(?<!parallel )\b(?:tools|functions|(?:tool|function)[ _](?:call(?:ing|s)?|use))['"`]? (?:is|are) not supported|(?:does not|doesn't) support (?:functions|(?:tool|function)[ _](?:calling|calls|use))\b/

/** Gemma 2 (github.com/huggingface/chat-ui/issues/1386), OpenAI's o1-mini, Mistral's templates, pydantic. */
const NO_SYSTEM_ROLE =
  /(?:system|developer)['"`]? (?:roles?|messages?|prompts?|instructions?) (?:is |are )?(?:not (?:supported|allowed|permitted|enabled)|unsupported)|developer instruction is not enabled for|(?:does not|doesn't|do not|don't) support (?:an? |the )?['"`]?(?:system|developer)\b|only (?:the )?['"`]?user['"`]?(?:,| and| or) ['"`]?(?:assistant|model)['"`]? (?:roles|messages) are (?:supported|allowed)|(?:unsupported|invalid|unknown|unexpected) role:? ['"`]?(?:system|developer)\b|role['"`]?\]?: input should be ['"`]user['"`](?:,| or) ['"`]assistant['"`]|(?<!system message, )conversation roles must alternate/

/** Returns undefined if the server would also refuse a changed request. */
export function parseRefusal(said: string): ModelRefusal | undefined {
  const text = readable(said)
  if (NO_TOOLS.test(text)) return { kind: 'no-tools' }
  if (NO_SYSTEM_ROLE.test(text)) return { kind: 'no-system-role' }
  if (TOO_LONG_NOW.test(text)) return { kind: 'too-long', isPassing: true }
  const match = TOO_LONG.map((pattern) => pattern.exec(text)).find(Boolean)
  return match
    ? { kind: 'too-long', ...toNumbers({ ...OPENAI_PROMPT.exec(text)?.groups, ...match.groups }) }
    : undefined
}

/**
 * Texts of OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, Groq, DeepSeek, Mistral and Gemini, from issues of
 * github.com/open-webui/open-webui, github.com/BerriAI/litellm and github.com/ggml-org/llama.cpp.
 */
const NO_PICTURES =
  /image_url.{0,40}(?:only supported by|not supported|unsupported|expected)|(?:unknown|invalid).{0,40}(?:variant|type|content).{0,20}image_url|not a multi-?modal model|at most 0 images?|(?:image|vision|multi-?modal)(?: input)?s?(?: modality)? (?:is|are) not (?:supported|enabled)|mmproj|(?:does not|doesn't|not) support (?:image|vision|multi-?modal|visual)|no endpoints found that support image|missing data required for image input|content['"`]? must be a string|image input modality is not enabled/

/** Texts of OpenAI, Anthropic, Gemini, llama.cpp and Ollama. */
const BAD_PICTURE =
  /could not process image|unable to process (?:the )?input image|unsupported image|invalid_?(?:base64_)?image|image_parse_error|failed to (?:load|decode|process) (?:the )?image|invalid image|image: unknown format|image (?:dimensions|exceeds|size)/

export function parsePictureRefusal(said: string): ModelRefusal | undefined {
  const text = readable(said)
  if (BAD_PICTURE.test(text)) return { kind: 'no-pictures', isOnlyThese: true }
  return NO_PICTURES.test(text) ? { kind: 'no-pictures' } : undefined
}

/** Parses a refusal of status 429. Most limits with this status pass by themselves and are not refusals. */
export function parseRateRefusal(said: string): ModelRefusal | undefined {
  const match = OVER_MINUTE.exec(readable(said))
  return match ? { kind: 'too-long', ...toNumbers(match.groups) } : undefined
}

/** Names of an answer's limit in all APIs. */
const OUTPUT_TOKENS =
  /(?:max(?:imum)?[_ ]?(?:number of )?(?:completion|output|new|generated)?[_ ]?tokens|(?:completion|output|generated) tokens|num_predict)/

/** The text between a name and its number; stops before the limit of a prompt or a window. */
const BETWEEN = /(?:(?!context|prompt|input tokens).){0,90}?/

/** `output` is the limit. If `above` matches, `output` is the first number that is too large. */
const OUTPUT_LIMITS: readonly RegExp[] = [
  // Ranges of DeepSeek, DashScope, Z.ai, Vertex
  /(?:[[(]|between |from |range:? )\d+(?: \(inclusive\))? ?(?:,|-|~|to|and) ?(?<output>\d+)(?<above>\)| \(excl)?/,
  // Anthropic, OpenAI, Groq, Cohere, Bedrock, pydantic; some servers in Chinese
  /(?:<=|≤|>|equal to|at most|up to|(?:more|greater|larger|higher) than|exceeds?|limit(?:ed)?(?: of| is| to)?|max(?:imum)?(?: allowed| value| of| is| length| output| tokens)*|大于|超过|小于等于|最大值?为?)[`'"(: ]{0,3}(?<output>\d+)/,
  /(?<above>(?:less|lower|smaller) than|below|under|<)[`'"(: ]{0,3}(?<output>\d+)/,
].map((limit) => new RegExp(`(?<!\\+ \`?)${OUTPUT_TOKENS.source}${BETWEEN.source}${limit.source}`))

/** Limits whose number comes first, or directly after the name. */
const PLAIN_OUTPUT_LIMITS: readonly RegExp[] = [
  /(?:at most|up to|maximum of|limit of|limited to|more than) (?<output>\d+) (?:completion|output|generated|new) tokens/,
  /max(?:imum)? (?:number of |allowed )?(?:completion|output|generated|new) tokens[^\d.]{0,40}(?:is|of|:) ?(?<output>\d+)/,
]

/** Parses a refusal of an answer of `sent` tokens by a model with a lower limit. */
export function parseOutputRefusal(said: string, sent: number): ModelRefusal | undefined {
  const text = readable(said)
  for (const pattern of [...OUTPUT_LIMITS, ...PLAIN_OUTPUT_LIMITS]) {
    const { output, above } = pattern.exec(text)?.groups ?? {}
    const tokens = Number(output) - (above === undefined ? 0 : 1)
    if (tokens >= MIN_OUTPUT && tokens < sent) return { kind: 'max-output', tokens }
  }
  return undefined
}

/** The lowest answer limit in OpenAI's APIs. Smaller numbers in a text are not a model's limit. */
const MIN_OUTPUT = 16

/** Texts of Groq, Cerebras, Ollama, llama.cpp and Bedrock for a model's unreadable call; a retry may help. */
const SLIP =
  /tool_use_failed|output_parse_failed|failed_generation|error parsing tool call|failed to parse (?:tool|function) call|failed to parse input at pos|invalid sequence as part of tooluse/

export const isModelSlip = (said: string): boolean => SLIP.test(readable(said))

const readable = (said: string): string =>
  said
    .slice(0, 8_000)
    .toLowerCase()
    .replaceAll(/(?<=\d),(?=\d{3}\b)/g, '')

type Numbers = Partial<Record<'tokens' | 'total' | 'window', number>>

function toNumbers(groups: RegExpExecArray['groups'] = {}): Numbers {
  const numbers = {
    tokens: Number(groups['tokens']) + Number(groups['more'] ?? 0),
    total: Number(groups['total']),
    window: Number(groups['window']),
  }
  return Object.fromEntries(Object.entries(numbers).filter(([, one]) => one > 0 && Number.isSafeInteger(one)))
}
