import type { ModelRefusal } from '../../turns/model-error.ts'

/** How one kind of server words a refusal. The groups `tokens` and `window` are numbers of tokens, where it tells them. */
interface RefusalForm {
  /** Where these words were seen. */
  readonly source: string
  readonly pattern: RegExp
}

/** A prompt that is too long. The forms that tell more come first. All patterns take linear time. */
const TOO_LONG: readonly RefusalForm[] = [
  {
    source:
      'OpenAI, DeepSeek, vLLM: github.com/vllm-project/vllm/issues/20409, github.com/mckaywrigley/chatbot-ui/issues/102',
    pattern:
      /maximum context length is (?<window>\d+) tokens[^(]{0,80}\((?<tokens>\d+) in (?:the messages|your prompt)/,
  },
  {
    source: 'OpenAI: github.com/AsyncFuncAI/deepwiki-open/issues/144',
    pattern:
      /maximum context length is (?<window>\d+) tokens\. However, your messages resulted in (?<tokens>\d+) tokens/,
  },
  {
    source: 'vLLM 0.11, where max_tokens is too large: github.com/stepfun-ai/Step-Audio-R1/issues/3',
    pattern:
      /maximum context length is (?<window>\d+) tokens and your request has (?<tokens>\d+) input tokens/,
  },
  {
    source: 'vLLM 0.20, which stops counting and says "at least": github.com/vllm-project/vllm/issues/42474',
    pattern: /maximum context length is (?<window>\d+) tokens/,
  },
  {
    source: 'Anthropic: github.com/anthropics/claude-code/issues/12186',
    pattern: /prompt is too long: (?<tokens>\d+) tokens > (?<window>\d+) maximum/,
  },
  {
    source: 'Anthropic, prompt and answer together: github.com/docker/docker-agent/issues/569',
    pattern:
      /input length and `?max_tokens`? exceed context limit:\s{0,20}(?<tokens>\d+) \+ \d+ > (?<window>\d+)/,
  },
  {
    source: 'Gemini, of the prompt alone: github.com/google-gemini/gemini-cli/issues/6678',
    pattern:
      /input token count \((?<tokens>\d+)\) exceeds the maximum number of tokens allowed \((?<window>\d+)\)/,
  },
  {
    source: 'llama.cpp since 2025-09, and Ollama where it runs it: github.com/ggml-org/llama.cpp/pull/15780',
    pattern: /n_prompt_tokens\\?":\s{0,9}(?<tokens>\d+),\s{0,9}\\?"n_ctx\\?":\s{0,9}(?<window>\d+)/,
  },
  {
    source: 'llama.cpp: github.com/langchain-ai/openwiki/issues/648',
    pattern: /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<window>\d+) tokens\)/,
  },
  {
    source: 'llama.cpp before: github.com/continuedev/continue/issues/9797',
    pattern: /exceeds the available context size/,
  },
  {
    source: 'llama-cpp-python: github.com/abetlen/llama-cpp-python/issues/462',
    pattern: /Requested tokens \((?<tokens>\d+)\) exceed context window of (?<window>\d+)/,
  },
  {
    source: 'LM Studio: github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546',
    pattern:
      /keep the first (?<tokens>\d+) tokens when .{0,30}overflows.{0,60}context length of only (?<window>\d+)/,
  },
  {
    source: 'LM Studio 0.4: github.com/Gitlawb/openclaude/issues/353',
    pattern: /n_keep: (?<tokens>\d+)\s{0,3}>=\s{0,3}n_ctx: (?<window>\d+)/,
  },
  {
    source:
      'Ollama, asked not to cut prompts: github.com/ollama/ollama, "the input length exceeds the context length"',
    pattern: /input length exceeds the context length/,
  },
  {
    source: 'OpenAI, the code of all such errors: github.com/chathub-dev/chathub/issues/126',
    pattern: /context_length_exceeded/,
  },
]

/** A model, or a server as it was started, that takes no tools. */
const NO_TOOLS: readonly RefusalForm[] = [
  { source: 'Ollama: github.com/ollama/ollama/issues/14795', pattern: /does not support tools/ },
  {
    source: 'vLLM: github.com/vllm-project/vllm/issues/9986',
    pattern: /tool choice requires --enable-auto-tool-choice/,
  },
  {
    source: 'llama.cpp, tools/server/README.md: tools need a server started with --jinja',
    pattern: /tools param requires --jinja/,
  },
]

/** A chat template that has no place for a system message. */
const NO_SYSTEM_ROLE: readonly RefusalForm[] = [
  {
    source: 'Gemma 2 on vLLM, SGLang and llama.cpp: github.com/huggingface/chat-ui/issues/1386',
    pattern: /System role not supported/i,
  },
]

/** Characters of an error that are looked at. */
const MAX_ERROR_CHARS = 8_000

/** Why a provider refused a request, by what it said; undefined where another request would be refused as well. */
export function refusalIn(said: string): ModelRefusal | undefined {
  const text = said.slice(0, MAX_ERROR_CHARS)
  if (matchIn(text, NO_TOOLS)) return { kind: 'no-tools' }
  if (matchIn(text, NO_SYSTEM_ROLE)) return { kind: 'no-system-role' }
  const tooLong = matchIn(text, TOO_LONG)
  return tooLong && { kind: 'too-long', ...numbersIn(tooLong) }
}

function matchIn(text: string, forms: readonly RefusalForm[]): RegExpExecArray | undefined {
  for (const { pattern } of forms) {
    const match = pattern.exec(text)
    if (match) return match
  }
  return undefined
}

function numbersIn({ groups = {} }: RegExpExecArray): { tokens?: number; window?: number } {
  const [tokens, window] = [Number(groups['tokens']), Number(groups['window'])]
  return {
    ...(tokens > 0 && Number.isSafeInteger(tokens) ? { tokens } : {}),
    ...(window > 0 && Number.isSafeInteger(window) ? { window } : {}),
  }
}
