/** A mark before a thought, a call or the answer, left in the text by a server whose parser is off. */
export interface Mark {
  readonly kind: 'thought' | 'answer' | 'call'
  readonly open: string
  /** Texts that end a thought or a call. All but the first also begin the next part, and are read again. */
  readonly close: readonly string[]
}

const mark =
  (kind: Mark['kind']) =>
  ([open = '', ...close]: readonly string[]): Mark => ({ kind, open, close })

/** Channels of gpt-oss (cookbook.openai.com/articles/openai-harmony), which begin in three ways. */
const CHANNELS = ['', '<|start|>assistant', '<|end|><|start|>assistant']

/** No mark is the beginning of another mark. */
export const MARKS: readonly Mark[] = [
  ...[
    // Most models (docs.vllm.ai, reasoning/basic_parsers); Nova and Claude; Gemini's OpenAI-compatible
    // server; Seed-OSS, LongCat, OpenThinker, Apertus, Magistral, Kimi-VL, Command A, Gemma 3 and 4.
    ['<think>', '</think>'],
    ['<thinking>', '</thinking>'],
    ['<thought>', '</thought>'],
    ['<seed:think>', '</seed:think>'],
    ['<longcat_think>', '</longcat_think>'],
    ['<|begin_of_thought|>', '<|end_of_thought|>'],
    ['<|inner_prefix|>', '<|inner_suffix|>'],
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
    ['<unused94>thought', '<unused95>'],
    ['<|channel>thought', '<channel|>'],
    ...CHANNELS.map((start) => [
      `${start}<|channel|>analysis<|message|>`,
      '<|end|>',
      '<|start|>',
      '<|channel|>',
    ]),
  ].map(mark('thought')),
  ...[
    ...['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|begin_of_box|>', '<|end_of_box|>', '<|return|>'],
    ...['<|begin_of_solution|>', '<|end_of_solution|>'],
    ...CHANNELS.flatMap((start) => [
      `${start}<|channel|>final<|message|>`,
      `${start}<|channel|>commentary<|message|>`,
    ]),
  ].map((open) => mark('answer')([open])),
  ...[
    // Hermes, Qwen and GLM, Hunyuan, Qwen3-Coder, Seed-OSS, MiniMax, LongCat, OLMo, Claude, Nemotron
    // (docs.vllm.ai, features/tool_calling).
    ['<tool_call>', '</tool_call>'],
    ['<tool_calls>', '</tool_calls>'],
    ['<function=', '</function>'],
    ['<seed:tool_call>', '</seed:tool_call>'],
    ['<minimax:tool_call>', '</minimax:tool_call>'],
    ['<longcat_tool_call>', '</longcat_tool_call>'],
    ['<function_calls>', '</function_calls>'],
    ['<invoke ', '</invoke>'],
    ['<TOOLCALL>', '</TOOLCALL>'],
    // Gemma 4, LFM2, InternLM, Kimi K2, Command A.
    ['<|tool_call>', '<tool_call|>'],
    ['<|tool_call_start|>', '<|tool_call_end|>'],
    ['<|action_start|>', '<|action_end|>'],
    ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
    ['<|START_ACTION|>', '<|END_ACTION|>'],
    // Step 3, DeepSeek V3 and V3.2.
    ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
    ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
    ...['｜', '|'].flatMap((bar) =>
      ['function_calls>', 'tool_calls>', 'invoke '].map((name) => [
        `<${bar}DSML${bar}${name}`,
        `</${bar}DSML${bar}${name.trim().replace(/>?$/, '>')}`,
      ]),
    ),
    // Mistral, Llama, Granite: a call until the end of the answer.
    ...[['[TOOL_CALLS]'], ['<|python_tag|>'], ['<|tool_call|>']],
    ...CHANNELS.flatMap((start) =>
      ['<|channel|>commentary to=', '<|channel|>analysis to='].map((to) => [
        start + to,
        '<|call|>',
        '<|start|>',
      ]),
    ),
    ...CHANNELS.slice(1).map((start) => [`${start} to=`, '<|call|>', '<|start|>']),
  ].map(mark('call')),
]

/** The text that may follow a call's mark, unlike the rest of a sentence about the mark. */
const CALLED = /^\s*(?:[{[<]|[\w.:-]+\s*(?:[{[(<>:="]|\n))/

/** `isCut` is true if the answer was cut off in `text`. */
export const isCall = (text: string, isCut: boolean): boolean =>
  CALLED.test(text) || (isCut && /^\s*[\w.:-]*$/.test(text))

export const markAt = (text: string, at = 0): Mark | undefined =>
  MARKS.find(({ open }) => text.startsWith(open, at))
