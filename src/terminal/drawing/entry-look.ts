import {
  actionText,
  copiedMark,
  messageMarks,
  shownName,
  threadLine,
  toolCallLine,
  toolResultLine,
} from '../../words/entry-text.ts'
import { fileEntryText } from '../../words/file-notes.ts'
import type { Entry, ToolCallEntry } from '../../words/entry.ts'
import { personNameStyle, usualModelStyle } from '../../chat/personal/index.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import type { Span, SpanStyle, TextRole } from '../../base/text/styled.ts'

export function spansOf(entry: Entry, aspect: Aspect, own?: SpanStyle): readonly Span[] {
  if (entry.thread !== undefined) return aside(threadLine(entry), 'tool')
  const name = shownName(entry.author)
  const { emphasis } = aspect
  switch (entry.kind) {
    case 'message': {
      const label = aspect.follows ? SAME_SPEAKER : `${name}${messageMarks(entry)}: `
      return [...labelSpans(label, personStyle(name, emphasis, own)), { text: cleanText(entry.text) }]
    }
    case 'reply':
      return [...modelLabel(entry.author, aspect, copiedMark(entry), own), { text: cleanText(entry.text) }]
    case 'action': {
      const label = labelSpans(`* ${name}${copiedMark(entry)} `, personStyle(name, emphasis, own))
      return [...label, { text: cleanText(actionText(entry)) }]
    }
    case 'presence':
    case 'routine':
      return aside(entry.text, 'system')
    case 'notice':
      return aside(entry.text, entry.level === 'error' ? 'error' : 'system')
    case 'file':
      return aside(`${name}: ${fileEntryText(entry)}`, 'system')
    case 'scope':
    case 'approval':
      return aside(`${name}: ${entry.text}`, 'system')
    case 'tool_call':
      return aside(`${name}: ${toolCallLine(entry)}`, 'tool')
    case 'tool_result':
      return aside(toolResultLine(entry), entry.isError ? 'error' : 'tool')
    default:
      return entry satisfies never
  }
}

/** Replaces the name of the same speaker as above. No later row of a text begins with these characters. */
const SAME_SPEAKER = '· '

export const personStyle = (name: string, emphasis: Aspect['emphasis'], own?: SpanStyle): SpanStyle =>
  emphasis ? { role: emphasis } : (own ?? personNameStyle(name))

export const modelLabel = (
  author: string,
  { emphasis }: Aspect,
  mark: string,
  own = usualModelStyle(author),
): readonly Span[] =>
  labelSpans(`${shownName(author)}${mark}: `, emphasis === 'mention' ? { role: 'mention' } : own)

export const labelSpans = (text: string, style: SpanStyle): readonly Span[] => [
  { ...style, text: text.trimEnd() },
  { text: ' ' },
]

const aside = (text: string, role: TextRole): readonly Span[] => [{ text: `-- ${cleanText(text)}`, role }]

export interface Aspect {
  /** `own`: said by the viewer; `mention`: names the viewer; `waiting`: waits for the viewer's answer. */
  readonly emphasis?: 'own' | 'mention' | 'waiting' | undefined
  /** The line above is by the same speaker. */
  readonly follows?: boolean
  /** It was said before the viewer came, so that a long reply is folded. */
  readonly isPast?: boolean | undefined
  /** The call of a result, shown in the same row. */
  readonly call?: ToolCallEntry | undefined
}

export const USUAL: Aspect = {}

export const aspectKey = ({ emphasis, follows, call, isPast }: Aspect): string =>
  `${emphasis ?? ''}${follows ? 'f' : ''}${call ? 'c' : ''}${isPast ? 'p' : ''}`
