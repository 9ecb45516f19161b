// The words in which servers refuse a request. A pattern reads a text in small letters, with numbers of tokens as digits
// alone ("16,384" is "16384"), and takes linear time.

/**
 * How one kind of server words a refusal, and where these words were seen. The groups are numbers of tokens: `tokens` and
 * `more` (to be added) are of the prompt, `total` is of prompt and answer together, `window` is what both may have.
 */
export type RefusalForm = readonly [source: string, pattern: RegExp]

/** A list of forms that a program keeps which speaks with many providers. */
const LIST = 'github.com/earendil-works/pi, packages/ai/src/utils/overflow.ts'

/** A request that is larger than what its sender may use in a minute: it would never be taken, however long one waits. */
export const OVER_MINUTE: readonly RefusalForm[] = [
  [
    'OpenAI, status 429: github.com/Aider-AI/aider/issues/1880',
    /request too large for .{0,200}tokens per min(?:ute)? \(tpm\): limit (?<window>\d+), requested (?<total>\d+)/,
  ],
]

/** A prompt that is too long together with what others ask at this moment. It may be taken a little later. */
export const TOO_LONG_NOW: readonly RefusalForm[] = [
  [
    'llama.cpp where slots share a window, status 500: github.com/ggml-org/llama.cpp/issues/19774',
    /context size has been exceeded/,
  ],
]

/** A prompt that is too long. The forms that tell more come first. */
export const TOO_LONG: readonly RefusalForm[] = [
  [
    'OpenAI, DeepSeek, vLLM: github.com/vllm-project/vllm/issues/20409, github.com/mckaywrigley/chatbot-ui/issues/102',
    /maximum context length is (?<window>\d+) tokens[^(]{0,80}\((?<tokens>\d+) in (?:the messages|your prompt)/,
  ],
  [
    'OpenAI: github.com/AsyncFuncAI/deepwiki-open/issues/144',
    /maximum context length is (?<window>\d+) tokens\. however, your messages resulted in (?<tokens>\d+) tokens/,
  ],
  [
    'OpenAI since GPT-5, of the prompt alone: github.com/cline/cline/issues/5474',
    /input tokens exceed the configured limit of (?<window>\d+) tokens(?:\. your messages resulted in (?<tokens>\d+) tokens)?/,
  ],
  ...OVER_MINUTE,
  [
    'OpenRouter: github.com/boldsoftware/shelley/issues/159, github.com/Aider-AI/aider/issues/3721',
    /maximum context length is (?<window>\d+) tokens[^(]{0,80}\((?<tokens>\d+) of text input(?:, (?<more>\d+) of tool input)?/,
  ],
  [
    'vLLM 0.11, where max_tokens is too large: github.com/stepfun-ai/Step-Audio-R1/issues/3',
    /maximum context length is (?<window>\d+) tokens and your request has (?<tokens>\d+) input tokens/,
  ],
  [
    'vLLM 0.11, of the prompt alone: github.com/vllm-project/vllm, vllm/entrypoints/openai/serving_engine.py',
    /maximum context length is (?<window>\d+) tokens\. however, your request has (?<tokens>\d+) input tokens/,
  ],
  [
    'vLLM of pictures and text, status 500: github.com/vllm-project/vllm/issues/12165',
    /prompt \(total length (?<tokens>\d+)\) is too long to fit into the model \(context length (?<window>\d+)\)/,
  ],
  [
    'vLLM: github.com/proxysoul/Empryo/issues/52',
    /passed (?<tokens>\d+) input tokens[^.]{0,80}\. however, the model's context length is only (?<window>\d+)/,
  ],
  [
    'vLLM: github.com/unslothai/unsloth/issues/2666',
    /prompt \(length (?<tokens>\d+)\) is longer than the maximum model length of (?<window>\d+)/,
  ],
  [
    'vLLM 0.20, which stops counting and says "at least": github.com/vllm-project/vllm/issues/42474',
    /maximum context length is (?<window>\d+) tokens/,
  ],
  [
    'SGLang: github.com/sgl-project/sglang, python/sglang/srt/managers/tokenizer_manager.py',
    /maximum context length of (?<window>\d+) tokens\. you requested a total of \d+ tokens: (?<tokens>\d+) tokens from/,
  ],
  [`LiteLLM: ${LIST}`, /exceeds the model's maximum context length of (?<window>\d+) tokens/],
  [
    `OpenAI-compatible servers: ${LIST}`,
    /input length \((?<tokens>\d+)\) exceeds (?:the )?model's maximum context length \((?<window>\d+)\)/,
  ],
  [
    'SGLang: github.com/QwenLM/Qwen3/issues/1321; Together: the list',
    /input \((?<tokens>\d+) tokens\) is longer than the model's context length \((?<window>\d+) tokens\)/,
  ],
  [
    'SGLang, whose memory holds less than the window: github.com/sgl-project/sglang/issues/4048',
    /input length \((?<tokens>\d+) tokens\) exceeds the maximum allowed length \((?<window>\d+) tokens\)/,
  ],
  [
    `Poolside by OpenRouter: ${LIST}`,
    /input length (?<tokens>\d+) exceeds the maximum allowed input length of (?<window>\d+) tokens/,
  ],
  [
    'Anthropic: github.com/anthropics/claude-code/issues/12186',
    /prompt is too long: (?<tokens>\d+) tokens > (?<window>\d+) maximum/,
  ],
  [
    'Anthropic, prompt and answer together: github.com/docker/docker-agent/issues/569',
    /input length and `?max_tokens`? exceed context limit:\s{0,20}(?<tokens>\d+) \+ \d+ > (?<window>\d+)/,
  ],
  [`Anthropic by others: ${LIST}`, /prompt is too long/],
  [
    'Anthropic, status 413: docs.claude.com/en/api/errors',
    /request_too_large|request exceeds the maximum (?:allowed number of bytes|size)/,
  ],
  [`Amazon Bedrock: ${LIST}`, /input is too long for requested model/],
  [
    'Gemini, of the prompt alone: github.com/google-gemini/gemini-cli/issues/6678; without the first number too',
    /input token count (?:\((?<tokens>\d+)\) )?exceeds the maximum number of tokens allowed \(?(?<window>\d+)/,
  ],
  [
    `Mistral: ${LIST}`,
    /prompt contains (?<tokens>\d+) tokens.{0,80}too large for model with (?<window>\d+) maximum context length/,
  ],
  [
    `xAI: ${LIST}`,
    /maximum prompt length is (?<window>\d+)(?: but the request contains (?<tokens>\d+) tokens)?/,
  ],
  [
    'Text Generation Inference: github.com/huggingface/chat-ui/issues/340',
    /`inputs` tokens \+ `max_new_tokens` must be <= (?<window>\d+)\. given: (?<tokens>\d+) `inputs` tokens/,
  ],
  [
    'Text Generation Inference, of the prompt alone: github.com/huggingface/text-generation-inference/issues/695',
    /`inputs` must have less than (?<window>\d+) tokens\. given: (?<tokens>\d+)/,
  ],
  [`GitHub Copilot: ${LIST}`, /prompt token count of (?<tokens>\d+) exceeds the limit of (?<window>\d+)/],
  [`Kimi: ${LIST}`, /exceeded model token limit: (?<window>\d+)(?: \(requested: (?<tokens>\d+)\))?/],
  [`MiniMax: ${LIST}`, /context window exceeds limit/],
  [
    'DashScope, of the prompt alone: alibabacloud.com/help/zh/model-studio/error-code',
    /range of input length should be \[1, ?(?<window>\d+)\]/,
  ],
  [
    'Cohere: github.com/cohere-ai/sandbox-topically/issues/4',
    /too many tokens: (?:total number of tokens \(prompt and prediction\) cannot exceed (?<window>\d+))?/,
  ],
  [
    'llama.cpp since 2025-09, and Ollama where it runs it: github.com/ggml-org/llama.cpp/pull/15780',
    /n_prompt_tokens\\?":\s{0,9}(?<tokens>\d+),\s{0,9}\\?"n_ctx\\?":\s{0,9}(?<window>\d+)/,
  ],
  [
    'llama.cpp: github.com/langchain-ai/openwiki/issues/648',
    /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<window>\d+) tokens\)/,
  ],
  ['llama.cpp before: github.com/continuedev/continue/issues/9797', /exceeds the available context size/],
  [
    'llama-cpp-python: github.com/abetlen/llama-cpp-python/issues/462',
    /requested tokens \((?<tokens>\d+)\) exceed context window of (?<window>\d+)/,
  ],
  [
    'LM Studio: github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546',
    /keep the first (?<tokens>\d+) tokens when .{0,30}overflows.{0,60}context length of only (?<window>\d+)/,
  ],
  [
    'LM Studio 0.4: github.com/Gitlawb/openclaude/issues/353',
    /n_keep: (?<tokens>\d+)\s{0,3}>=\s{0,3}n_ctx: (?<window>\d+)/,
  ],
  [`LM Studio: ${LIST}`, /greater than the context length/],
  [
    'Ollama, asked not to cut prompts: github.com/ollama/ollama, "the input length exceeds the context length"',
    /input length exceeds the context length/,
  ],
  [`Ollama: ${LIST}`, /prompt too long; exceeded (?:max )?context length/],
  [`OpenAI's responses: ${LIST}`, /exceeds the context window of this model/],
  [`Groq: ${LIST}`, /reduce the length of the messages or completion/],
  [
    'OpenAI, the code of all such errors: github.com/chathub-dev/chathub/issues/126',
    /context_length_exceeded/,
  ],
]

/** A model, or a server as it was started, that takes no tools. */
export const NO_TOOLS: readonly RefusalForm[] = [
  ['Ollama: github.com/ollama/ollama/issues/14795', /does not support tools/],
  ['vLLM: github.com/vllm-project/vllm/issues/9986', /tool choice requires --enable-auto-tool-choice/],
  [
    'llama.cpp, tools/server/README.md: tools need a server started with --jinja',
    /tools param requires --jinja/,
  ],
  ['Gemma by Gemini: github.com/agno-agi/agno/issues/3505', /function calling is not enabled for/],
  [
    'OpenRouter, status 404: github.com/evalstate/fast-agent/issues/122',
    /no endpoints found that support tool use/,
  ],
  [
    'OpenAI of o1-mini, status 404: github.com/dzhng/deep-research/issues/96',
    /\btools['"`]? is not supported (?:with|in) this model/,
  ],
]

/** A model that has no place for a system message. */
export const NO_SYSTEM_ROLE: readonly RefusalForm[] = [
  [
    'Gemma 2 on vLLM, SGLang and llama.cpp: github.com/huggingface/chat-ui/issues/1386',
    /system role not supported/,
  ],
  ['Gemma by Gemini: github.com/0xPlaygrounds/rig/issues/788', /developer instruction is not enabled for/],
]
