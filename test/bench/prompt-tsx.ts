import {
  type BasePromptElementProps,
  OutputMode,
  PrioritizedList,
  PromptElement,
  type PromptPiece,
  PromptRenderer,
  Raw,
  SystemMessage,
  TextChunk,
  UserMessage,
} from '@vscode/prompt-tsx'
import type { TokenCounter } from '../../src/wrap/ports.ts'
import type { ToolDefinition } from '../../src/wrap/prompt.ts'

/** The same work in the other library's terms: texts of layers, entries of history, tools, one target. */
export interface PeerWork extends BasePromptElementProps {
  /** A higher priority is more important there. */
  readonly system: readonly { readonly text: string; readonly priority: number }[]
  readonly context: readonly { readonly text: string; readonly priority: number }[]
  /** Oldest first, one text an entry. */
  readonly history: readonly string[]
  readonly message: string
  readonly tools: readonly ToolDefinition[]
  readonly target: number
  /** Each entry a message of its own, or all of them parts of one message. */
  readonly entries: 'messages' | 'chunks'
}

/** What came out, for a look at whether it is the same work. */
export interface PeerPrompt {
  readonly tokens: number
  readonly texts: readonly string[]
}

/** Composes once with @vscode/prompt-tsx, with our own tokenizer behind its interface. */
export async function composeWithPromptTsx(work: PeerWork, counter: TokenCounter): Promise<PeerPrompt> {
  // The library knows nothing of tools: whoever uses it takes their tokens off the budget first.
  const tools = work.tools.reduce((sum, tool) => sum + counter.count(JSON.stringify(tool)), 0)
  const endpoint = { modelMaxPromptTokens: work.target - tools }
  const renderer = new PromptRenderer(endpoint, Layers, work, tokenizerOf(counter))
  const { messages, tokenCount } = await renderer.render()
  return { tokens: tokenCount + tools, texts: messages.flatMap((message) => message.content.map(textOf)) }
}

class Layers extends PromptElement<PeerWork> {
  override render(): PromptPiece {
    const { system, context, history, message, entries } = this.props
    const Entry = entries === 'messages' ? UserMessage : TextChunk
    const said = vscpp(
      PrioritizedList,
      { priority: 0, descending: false, passPriority: entries === 'chunks' },
      ...history.map((text) => vscpp(Entry, {}, text)),
    )
    const root = vscpp(
      vscppf,
      {},
      ...system.map(({ text, priority }) => vscpp(SystemMessage, { priority }, text)),
      ...context.map(({ text, priority }) => vscpp(UserMessage, { priority }, text)),
      entries === 'messages' ? said : vscpp(UserMessage, { priority: 0 }, said),
      vscpp(UserMessage, { priority: 2000 }, message),
    )
    // The library's own factory is declared more loosely than what it takes.
    return root as PromptPiece
  }
}

const textOf = (part: Raw.ChatCompletionContentPart): string =>
  part.type === Raw.ChatCompletionContentPartKind.Text ? part.text : ''

const tokenizerOf = (counter: TokenCounter) => ({
  mode: OutputMode.Raw as const,
  tokenLength: (part: Raw.ChatCompletionContentPart) => counter.count(textOf(part)),
  countMessageTokens: (message: Raw.ChatMessage) =>
    message.content.reduce((sum, part) => sum + counter.count(textOf(part)), 0),
})
