// Tools, toolbox and models for a program without server, rooms and turns: src/wrap.ts, docs/embedding.md.
// This folder must not know how a model is reached, where a tool comes from or what runs Lua. It starts
// nothing.
import type { Usage } from '../../words/entry.ts'
import { errorMessage } from '../../base/errors.ts'
import { cleanText, isBlank } from '../../base/text/clean-text.ts'
import { asRepeated, createCallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import { executeTools } from '../toolbox/toolbox.ts'
import {
  chatModel,
  type ChatMessage,
  type ChatModel,
  type ModelAnswer,
  checkMessages,
} from '../../tools/index.ts'
import { runSteps } from '../loop/run-steps.ts'
import {
  type AssistantMessage,
  type LanguageModel,
  ModelError,
  type ModelRequest,
  type RequestMessage,
} from '../loop/model.ts'
import { createReply } from '../loop/reply.ts'
import { addUsage } from '../loop/usage.ts'
import { streamStep, type StepResult } from '../loop/stream-step.ts'
import { questionTexts } from '../loop/question-texts.ts'
import { DEFAULT_LIMITS } from './context.ts'
import { plainPrompt } from '../prompt.ts'
import { requestCalls, type ChatEvents } from './requested-calls.ts'
import { createToolbox, type ProgramToolbox, type ToolboxOptions, type ToolSet } from './toolbox.ts'

export interface ChatOptions extends Partial<Omit<ToolboxOptions, 'chat'>> {
  /** See `createModel`; any implementation of `LanguageModel` works. */
  readonly model: LanguageModel
  /** The model's name in tools and errors; default: `model`. */
  readonly name?: string
  /** Default: no system text. */
  readonly system?: string
  readonly limits?: ChatLimits
}

export interface ChatLimits {
  /** Requests to the model; default: 24. */
  readonly steps?: number
  /** Output tokens of one step; default: 4096. */
  readonly maxOutput?: number
}

/** An error of the chat itself, not of the model or the caller's signal. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
}

export interface Answer {
  /** The text of all steps, sanitized. */
  readonly text: string
  /** `length`: cut at `maxOutput`. `refused`: cut by the provider. */
  readonly reason: StepResult['end']['reason']
  /** Tokens of all steps and of tools' requests, as reported by the provider, else 0. */
  readonly usage: Usage
}

/** Sends and starts nothing before `send`. Throws an `Error` if two tools have the same ID. */
export const createChat = (options: ChatOptions): Chat => new Chat(options)

/**
 * A conversation with a model that may call tools. Listeners of `toolCallRequested` run the calls; without
 * one, the chat does. One answer at a time.
 */
export class Chat {
  readonly #options: ChatOptions
  readonly #name: string
  readonly #maxOutput: number
  readonly #messages: ChatMessage[] = []
  readonly #callIds = new Set<string>()
  readonly #listeners: { readonly [Event in keyof ChatEvents]: Set<ChatEvents[Event]> } = {
    toolCallRequested: new Set(),
    text: new Set(),
    message: new Set(),
  }
  #usage: Usage = { input: 0, output: 0 }
  #isBusy = false
  /** The whole conversation, oldest first. */
  readonly messages: readonly ChatMessage[] = this.#messages
  readonly toolbox: ProgramToolbox

  constructor(options: ChatOptions) {
    const { name = 'model', tools = [], limits, context } = options
    this.#options = options
    this.#name = name
    this.#maxOutput = limits?.maxOutput ?? 4096
    const model = chatModel(name, (...asked) => this.#askForTool(...asked))
    this.toolbox = createToolbox({
      ...options,
      tools,
      chat: { model, messages: this.messages },
      context: {
        ...context,
        addMessage: (entry) => {
          this.#append({ role: 'note', author: name, text: cleanText(entry.text) })
          context?.addMessage?.(entry)
        },
      },
    })
  }

  /**
   * Sends a text and resolves to the answer after all calls. Rejects with `ChatError` (an empty text, an
   * unfinished answer, too many steps, a model that repeats itself), `ModelError`, or the signal's reason.
   * Messages until then stay in `messages`, and `sendAppend([])` retries.
   */
  async send(text: string, signal?: AbortSignal): Promise<Answer> {
    if (typeof text === 'string' && isBlank(text))
      throw new ChatError('there is nothing to send: the text is empty')
    return await this.sendAppend([{ role: 'user', text }], signal)
  }

  /** Appends messages, such as replies to calls, and continues as `send` does. */
  async sendAppend(
    more: readonly ChatMessage[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer> {
    if (this.#isBusy) throw new ChatError('the model is answering; wait for its answer')
    checkForm(more)
    const first = [...this.#messages, ...more].find(({ role }) => role !== 'note')
    if (first?.role !== 'user') throw new ChatError('a conversation begins with what its user says: use send')
    this.#isBusy = true
    try {
      for (const message of more) this.#append(cleanMessage(message))
      return await this.#answer(signal)
    } finally {
      this.#isBusy = false
    }
  }

  /** Replaces the tools from the next step on; calls of removed tools are refused at once. */
  rebuildTools(set: ToolSet): void {
    this.toolbox.rebuild(set)
  }

  /** Returns a function that removes the listener. Listeners are called in order of addition. */
  on<Event extends keyof ChatEvents>(event: Event, listener: ChatEvents[Event]): () => void {
    this.#listeners[event].add(listener)
    return () => void this.#listeners[event].delete(listener)
  }

  #append(message: ChatMessage): void {
    this.#messages.push(message)
    for (const listener of [...this.#listeners.message]) listener(message)
  }

  async #answer(signal: AbortSignal): Promise<Answer> {
    const { model, limits: { steps = 24 } = {} } = this.#options
    const reply = createReply((piece) => [...this.#listeners.text].forEach((listener) => listener(piece)))
    this.#usage = { input: 0, output: 0 }
    const end = await runSteps({
      maxSteps: steps,
      signal,
      checkCalls: createCallCheck(this.#name, this.#callIds),
      ask: async () => {
        reply.nextStep()
        return this.#charged(await streamStep(model, this.#request(), { reply }, signal))
      },
      run: (calls, said) => this.#runStep(calls, said, signal),
    })
    if (end.why === 'halted') throw new ChatError(end.reason)
    if (end.why === 'used-up')
      throw new ChatError(`@${this.#name} used all ${steps} steps of its answer; it was stopped`)
    const { text, end: ending } = end.result
    this.#append({ role: 'assistant', text: text || '(no answer)', calls: [] })
    return { text: reply.finish(), reason: ending.reason, usage: this.#usage }
  }

  #request(): ModelRequest<RequestMessage> {
    const [first, ...messages] = this.#messages.filter((message) => message.role !== 'note')
    return {
      prompt: plainPrompt(this.#options.system ?? '', first?.role === 'user' ? first.text : ''),
      messages,
      tools: this.toolbox.definitions(),
      maxOutput: this.#maxOutput,
    }
  }

  #charged(result: StepResult): StepResult {
    if (result.usage) this.#usage = addUsage(this.#usage, result.usage)
    return result
  }

  async #askForTool(...[asked, stop]: Parameters<ChatModel['ask']>): Promise<ModelAnswer> {
    const { system, message, context } = questionTexts(asked)
    const prompt = plainPrompt(system, message, context)
    const reply = createReply(() => {})
    const signal = stop ?? new AbortController().signal
    const request = { prompt, messages: [], tools: [], maxOutput: this.#maxOutput }
    const { usage } = this.#charged(await streamStep(this.#options.model, request, { reply }, signal))
    const text = reply.finish()
    if (text === '') throw new ModelError(`${this.#name}: it gave an empty answer`, true)
    return { text, ...(usage ? { usage } : {}) }
  }

  /** An unfinished step leaves no message that a provider would refuse. */
  async #runStep(calls: readonly ToolCall[], said: AssistantMessage, signal: AbortSignal): Promise<void> {
    const from = this.#messages.length
    const replied = (message: ChatMessage): void => this.#append(message)
    try {
      this.#append(said)
      const listeners = [...this.#listeners.toolCallRequested]
      if (listeners.length === 0)
        return void (await executeTools(calls, { toolbox: this.toolbox, signal, replied }))
      const { outputBytes: maxChars } = this.#options.context?.limits ?? DEFAULT_LIMITS
      await requestCalls(calls, { listeners, signal, maxChars, replied })
    } catch (error) {
      const kept = this.#messages.splice(from).filter(({ role }) => role === 'note' || role === 'user')
      this.#messages.push(...kept)
      throw error
    }
  }
}

function cleanMessage(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') return { ...message, content: cleanText(message.content) }
  const text = cleanText(message.text)
  return message.role === 'assistant'
    ? { ...message, text, calls: message.calls.map(asRepeated) }
    : { ...message, text }
}

/** Throws `ChatError` before anything is appended. */
function checkForm(messages: readonly ChatMessage[]): void {
  try {
    checkMessages(messages)
  } catch (error) {
    throw new ChatError(errorMessage(error))
  }
}
