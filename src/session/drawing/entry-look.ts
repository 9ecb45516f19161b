import {
  actionText,
  editedMark,
  shownName,
  threadLine,
  toolCallLine,
  toolResultLine,
} from '../../chat/entry-text.ts'
import type { Entry, MessageEntry, ToolCallEntry } from '../../chat/entry.ts'
import type { NameColour } from '../../chat/preferences/options.ts'
import type { Theme } from './theme.ts'

/** Gives a text its colours. */
export type Paint = (text: string) => string

/** What begins an entry, such as its author. */
export interface Label {
  readonly text: string
  readonly paint: Paint
}

/** What an entry says, and how it is painted. */
interface EntryLook {
  readonly label: Label
  readonly text: string
  readonly paint: Paint
}

/** As it was written. */
export const asIs: Paint = (text) => text

/** How an entry looks in a theme; `chosen` is the colour that its author has taken. */
export function lookOf(entry: Entry, theme: Theme, aspect: Aspect, chosen?: NameColour): EntryLook {
  if (entry.thread !== undefined) return aside(threadLine(entry), theme.tool)
  switch (entry.kind) {
    case 'message':
      return { label: speaker(entry, theme, aspect, chosen), text: entry.text, paint: asIs }
    case 'reply':
      return { label: model(entry.author, theme, aspect), text: entry.text, paint: asIs }
    case 'action':
      return { label: actor(entry, theme, aspect, chosen), text: actionText(entry), paint: asIs }
    case 'presence':
      return aside(entry.text, theme.system)
    case 'notice':
      return aside(entry.text, entry.level === 'error' ? theme.error : theme.system)
    case 'scope':
      return aside(`${shownName(entry.author)}: ${entry.text}`, theme.system)
    case 'approval':
      return aside(
        `${shownName(entry.author)}: ${entry.text}`,
        aspect.emphasis === 'waiting' ? theme.waiting : theme.system,
      )
    case 'tool_call':
      return aside(`${shownName(entry.author)}: ${toolCallLine(entry)}`, theme.tool)
    case 'tool_result':
      return aside(toolResultLine(entry), entry.isError ? theme.error : theme.tool)
    default:
      return entry satisfies never
  }
}

/** In place of a speaker's name, where the line above is theirs too. No later row of a text begins with it. */
const SAME_SPEAKER = '· '

function speaker(
  entry: MessageEntry,
  theme: Theme,
  { emphasis, follows }: Aspect,
  chosen?: NameColour,
): Label {
  const name = shownName(entry.author)
  const text = follows ? SAME_SPEAKER : `${name}${editedMark(entry)}: `
  return labelIn(text, emphasis ? theme[emphasis] : (label) => theme.person(label, name, chosen))
}

function actor({ author }: Entry, theme: Theme, { emphasis }: Aspect, chosen?: NameColour): Label {
  const name = shownName(author)
  return labelIn(`* ${name} `, emphasis ? theme[emphasis] : (label) => theme.person(label, name, chosen))
}

/** The name of a model before what it says. */
export const model = (author: string, theme: Theme, { emphasis }: Aspect): Label =>
  labelIn(`${shownName(author)}: `, emphasis === 'mention' ? theme.mention : theme.model)

/** Without a blank at its end a label stands alone in its row. */
export const labelIn = (text: string, paint: Paint): Label => ({
  text,
  paint: (label) => paint(label.trimEnd()) + (label.endsWith(' ') ? ' ' : ''),
})

/** What the room itself says. */
const aside = (text: string, paint: Paint): EntryLook => ({ label: { text: '-- ', paint }, text, paint })

/** On a very narrow page the label itself may be broken; then the row is painted as a whole. */
export function paintRow(row: string, label: Label | undefined, paint: Paint): string {
  if (!label?.text || !row.startsWith(label.text)) return row === '' ? '' : paint(row)
  const rest = row.slice(label.text.length)
  return label.paint(label.text) + (rest === '' ? '' : paint(rest))
}

/** What differs between the sessions that show one entry in one style. */
export interface Aspect {
  /** No other aspect has it: what was drawn is kept under it. */
  readonly key: string
  /** `own`: they said it themselves; `mention`: it names them; `waiting`: it waits for their answer. */
  readonly emphasis?: 'own' | 'mention' | 'waiting'
  /** The line above is the same speaker's, so their name need not stand there again. */
  readonly follows?: true
  /** Of a result: the call that it stands beside. */
  readonly call?: ToolCallEntry
}

export const USUAL: Aspect = { key: '' }

/** Of a question that the person may answer. */
export const WAITING: Aspect = { key: 'w', emphasis: 'waiting' }

const ASPECTS = {
  usual: { first: USUAL, next: { key: 'f', follows: true } },
  own: { first: { key: 'o', emphasis: 'own' }, next: { key: 'of', emphasis: 'own', follows: true } },
  mention: {
    first: { key: 'm', emphasis: 'mention' },
    next: { key: 'mf', emphasis: 'mention', follows: true },
  },
} as const satisfies Readonly<Record<string, { readonly first: Aspect; readonly next: Aspect }>>

/** The same for a result that stands beside its call. */
export const withCall = (aspect: Aspect, call: ToolCallEntry | undefined): Aspect =>
  call ? { ...aspect, key: `${aspect.key}c`, call } : aspect

/** One of the few that there are. */
export const aspectOf = (emphasis: 'own' | 'mention' | undefined, follows: boolean): Aspect =>
  ASPECTS[emphasis ?? 'usual'][follows ? 'next' : 'first']
