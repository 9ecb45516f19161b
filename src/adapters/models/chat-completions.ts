import { reportOf, type Dialect } from './answer.ts'
import { countIn, jsonTextIn, listIn, objectIn, textIn, type Fields } from './loose.ts'

/** The stream of OpenAI's chat completions, and of all servers that copy it. */
export function chatDialect(): Dialect {
  const calls = new Calls()
  return {
    read(event) {
      const choice = objectIn(listIn(event['choices'])[0])
      const delta = objectIn(choice['delta'] ?? choice['message'])
      const pieces = [...listIn(delta['tool_calls']), ...legacyCall(delta)]
      for (const piece of pieces) calls.add(objectIn(piece))
      const { text, thinking } = contentIn(delta)
      const reason = textIn(choice['finish_reason'])
      if (!text && !thinking && !reason && pieces.length === 0) return undefined
      return chunk({ content: text || undefined, reasoning_content: thinking || undefined }, reason || null)
    },
    // The SDK glues calls together that a server gave the same index, so it gets them whole.
    end: () => (calls.all.length > 0 ? chunk({ tool_calls: calls.all }) : undefined),
    usage(event) {
      const usage = event['usage']
      if (!usage) return undefined
      const counts = objectIn(usage)
      const { cached_tokens } = objectIn(counts['prompt_tokens_details'])
      return reportOf({
        input: countIn(counts['prompt_tokens']),
        // DeepSeek has a name of its own (api-docs.deepseek.com/guides/kv_cache).
        cached: countIn(cached_tokens ?? counts['prompt_cache_hit_tokens']),
        output: countIn(counts['completion_tokens']),
      })
    },
  }
}

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason }],
})

/** OpenAI's form of a call before it had tools. */
const legacyCall = ({ function_call: call }: Fields): readonly unknown[] =>
  call ? [{ index: 0, function: call }] : []

/** Mistral sends its content as a list of texts and thoughts. A refusal of OpenAI is read as text. */
function contentIn(delta: Fields): { text: string; thinking: string } {
  let text = ''
  let thinking = textIn(delta['reasoning_content'] ?? delta['reasoning']) ?? ''
  for (const part of listIn(delta['content'])) {
    const fields = objectIn(part)
    text += textIn(part) ?? textIn(fields['text']) ?? ''
    for (const thought of listIn(fields['thinking']))
      thinking += textIn(thought) ?? textIn(objectIn(thought)['text']) ?? ''
  }
  return { text: text + (textIn(delta['refusal']) ?? ''), thinking }
}

interface Call {
  readonly index: number
  readonly type: 'function'
  id?: string
  readonly function: { name: string; arguments: string }
  extra_content?: unknown
}

class Calls {
  readonly all: Call[] = []
  readonly #indexes: (number | undefined)[] = []

  add(piece: Fields): void {
    const { name, arguments: args } = objectIn(piece['function'])
    const id = textIn(piece['id']) || undefined
    const index = countIn(piece['index'])
    const call = this.#find(id, index, Boolean(name)) ?? this.#begin(index)
    if (id) call.id ??= id
    call.function.name ||= textIn(name) ?? ''
    call.function.arguments += jsonTextIn(args) ?? ''
    if (piece['extra_content']) call.extra_content ??= piece['extra_content']
  }

  /** The call that a piece continues. Some servers give all calls one index, or one id, or send neither. */
  #find(id: string | undefined, index: number | undefined, isNamed: boolean): Call | undefined {
    if (!id && index === undefined) return isNamed ? undefined : this.all.at(-1)
    return this.all.findLast(
      (call, place) =>
        (index === undefined || this.#indexes[place] === index) &&
        (!id || call.id === id || (!call.id && index !== undefined)),
    )
  }

  #begin(index: number | undefined): Call {
    const call: Call = { index: this.all.length, type: 'function', function: { name: '', arguments: '' } }
    this.#indexes.push(index)
    this.all.push(call)
    return call
  }
}
