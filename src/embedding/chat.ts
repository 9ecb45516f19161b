/**
 * Embedding: the same tools, toolbox and models for a program that has no server, no rooms and no turns. All that it
 * gives out is named in src/index.ts and described in docs/embedding.md.
 * This folder must not know how a model is reached, where a tool comes from or what runs Lua, and starts nothing.
 */
import type { Usage } from '../chat/entry.ts'
import { errorMessage } from '../lib/errors.ts'
import { cleanText, isBlank } from '../lib/text/clean-text.ts'
import { createCallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import { executeTools } from '../toolbox/toolbox.ts'
import { checkMessages } from '../tools/arguments.ts'
import { chatModel, type ChatMessage, type ChatModel, type ModelAnswer } from '../tools/context.ts'
import { runSteps } from '../turns/turn.ts'
import {
  type AssistantMessage,
  type LanguageModel,
  ModelError,
  type ModelRequest,
  type RequestMessage,
} from '../turns/ports.ts'
import { createReply } from '../turns/reply.ts'
import { addUsage } from '../turns/billing.ts'
import { streamStep, type StepResult } from '../turns/stream-step.ts'
import { questionTexts } from '../turns/tool-questions.ts'
import { cleanMessage } from './clean-message.ts'
import { DEFAULT_LIMITS } from './context.ts'
import { createListeners, type Listeners } from './listeners.ts'
import { plainPrompt } from '../prompt/prompt.ts'
import { requestCalls } from './requested-calls.ts'
import { createToolbox, type ProgramToolbox, type ToolboxOptions, type ToolSet } from './toolbox.ts'

/** What a chat is made from. */
export interface ChatOptions extends Partial<Omit<ToolboxOptions, 'chat'>> {
  /** See `createModel`; anything that keeps the contract of `LanguageModel` will do. */
  readonly model: LanguageModel
  /** The model's name, as tools and errors say it; `model` when absent. */
  readonly name?: string
  /** The system text; none when absent. */
  readonly system?: string
  readonly limits?: ChatLimits
}

/** Limits of one answer. */
export interface ChatLimits {
  /** Requests to the model; 24 when absent. */
  readonly steps?: number
  /** Tokens that it may write in one step; 4096 when absent. */
  readonly maxOutput?: number
}

/** What a chat rejects with where neither the model nor the caller's signal is the reason. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
}

/** The model's answer. */
export interface Answer {
  /** What it wrote in all steps, cleaned. */
  readonly text: string
  /** `length`: it was cut at `maxOutput`. `refused`: its provider cut it. */
  readonly reason: StepResult['end']['reason']
  /** Tokens of all steps, and of what tools asked, as the provider reported them; zeros if it did not. */
  readonly usage: Usage
}

/**
 * A conversation with a model that may call tools. Where there is a listener for `toolCallRequested`, it runs the calls;
 * else the chat runs them itself. One answer at a time.
 */
export interface Chat {
  /** All of the conversation, oldest first. */
  readonly messages: readonly ChatMessage[]
  readonly toolbox: ProgramToolbox
  /**
   * Says this and resolves with the answer, all calls on the way included. Rejects with `ChatError` (an empty text, an
   * answer that is not done yet, too many steps, a model that goes in circles), `ModelError`, or the signal's reason.
   * What was said and done until then stays in `messages`, and `sendAppend([])` asks again.
   */
  send(text: string, signal?: AbortSignal): Promise<Answer>
  /** Appends messages, such as the replies to calls, and goes on as `send` does. */
  sendAppend(messages: readonly ChatMessage[], signal?: AbortSignal): Promise<Answer>
  /** Has other tools from the next step on; a call of one that is gone is refused at once. */
  rebuildTools(set: ToolSet): void
  /** Gives the function that ends the listening. */
  on: Listeners['on']
}

/** Makes a chat. Nothing is sent and nothing starts until `send`. Throws an `Error` if two tools have one id. */
export function createChat(options: ChatOptions): Chat {
  const {
    model,
    name = 'model',
    system = '',
    tools = [],
    limits: { steps = 24, maxOutput = 4096 } = {},
  } = options
  const messages: ChatMessage[] = []
  const ids = new Set<string>()
  const listeners = createListeners()
  let usage: Usage = { input: 0, output: 0 }
  const view = { model: chatModel(name, askForTool), messages }
  const toolbox = createToolbox({ ...options, tools, chat: view, context: noted(options, name, append) })
  let busy = false

  function append(message: ChatMessage): void {
    messages.push(message)
    for (const listener of listeners.of('message')) listener(message)
  }

  const request = (): ModelRequest<RequestMessage> => {
    const [first, ...rest] = messages.filter((message) => message.role !== 'note')
    return {
      prompt: plainPrompt(system, first?.role === 'user' ? first.text : ''),
      messages: rest,
      tools: toolbox.definitions(),
      maxOutput,
    }
  }

  async function answer(signal: AbortSignal): Promise<Answer> {
    const reply = createReply((piece) => listeners.of('text').forEach((listener) => listener(piece)))
    usage = { input: 0, output: 0 }
    const end = await runSteps({
      maxSteps: steps,
      signal,
      checkCalls: createCallCheck(name, ids),
      async ask() {
        reply.nextStep()
        const result = await streamStep(model, request(), { reply }, signal)
        charge(result)
        return result
      },
      run: (calls, said) => runStep(calls, said, signal),
    })
    switch (end.why) {
      case 'answered': {
        const { result } = end
        append({ role: 'assistant', text: result.text || '(no answer)', calls: [] })
        return { text: reply.finish(), reason: result.end.reason, usage }
      }
      case 'halted':
        throw new ChatError(end.reason)
      case 'used-up':
        throw new ChatError(`@${name} used all ${steps} steps of its answer; it was stopped`)
    }
  }

  function charge({ usage: used }: StepResult): void {
    if (used) usage = addUsage(usage, used)
  }

  async function askForTool(...[asked, stop]: Parameters<ChatModel['ask']>): Promise<ModelAnswer> {
    const { system: none, message, context } = questionTexts(asked)
    const prompt = plainPrompt(none, message, context)
    const reply = createReply(() => {})
    const signal = stop ?? new AbortController().signal
    const result = await streamStep(model, { prompt, messages: [], tools: [], maxOutput }, { reply }, signal)
    charge(result)
    const text = reply.finish()
    if (text === '') throw new ModelError(`${name}: it gave an empty answer`, true)
    return { text, ...(result.usage ? { usage: result.usage } : {}) }
  }

  /** Runs the calls of a step. A step that could not be finished leaves nothing that a provider would refuse. */
  async function runStep(
    calls: readonly ToolCall[],
    said: AssistantMessage,
    signal: AbortSignal,
  ): Promise<void> {
    const from = messages.length
    try {
      append(said)
      const requested = listeners.of('toolCallRequested')
      if (requested.length === 0)
        return void (await executeTools(calls, { toolbox, signal, replied: append }))
      const maxChars = (options.context?.limits ?? DEFAULT_LIMITS).outputBytes
      await requestCalls(calls, { listeners: requested, signal, maxChars, replied: append })
    } catch (error) {
      messages.push(...messages.splice(from).filter(({ role }) => role === 'note' || role === 'user'))
      throw error
    }
  }

  async function sendAppend(
    more: readonly ChatMessage[],
    signal = new AbortController().signal,
  ): Promise<Answer> {
    if (busy) throw new ChatError('the model is answering; wait for its answer')
    checkForm(more)
    const first = [...messages, ...more].find(({ role }) => role !== 'note')
    if (first?.role !== 'user') throw new ChatError('a conversation begins with what its user says: use send')
    busy = true
    try {
      for (const message of more) append(cleanMessage(message))
      return await answer(signal)
    } finally {
      busy = false
    }
  }

  return {
    messages,
    toolbox,
    async send(text, signal) {
      if (typeof text === 'string' && isBlank(text))
        throw new ChatError('there is nothing to send: the text is empty')
      return await sendAppend([{ role: 'user', text }], signal)
    },
    sendAppend,
    rebuildTools: (set) => toolbox.rebuild(set),
    on: listeners.on,
  }
}

/** Throws `ChatError` before anything is appended. */
function checkForm(messages: readonly ChatMessage[]): void {
  try {
    checkMessages(messages)
  } catch (error) {
    throw new ChatError(errorMessage(error))
  }
}

/** A program's context, with what tools tell people as notes of the conversation. */
const noted = (
  { context = {} }: ChatOptions,
  name: string,
  append: (message: ChatMessage) => void,
): ChatOptions['context'] => ({
  ...context,
  addMessage(entry) {
    append({ role: 'note', author: name, text: cleanText(entry.text) })
    context.addMessage?.(entry)
  },
})
