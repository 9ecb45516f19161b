import type { ToolCallEntry } from '../../chat/entry.ts'

/** What differs between the sessions that show one entry in one style. */
export interface Aspect {
  /** No other aspect has it: what was drawn is kept under it. */
  readonly key: string
  /** `own`: they said it themselves; `mention`: it names them. */
  readonly emphasis?: 'own' | 'mention'
  /** The line above is the same speaker's, so their name need not stand there again. */
  readonly follows?: true
  /** Of a result: the call that it stands beside. */
  readonly call?: ToolCallEntry
}

export const USUAL: Aspect = { key: '' }

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
export const aspectOf = (emphasis: Aspect['emphasis'], follows: boolean): Aspect =>
  ASPECTS[emphasis ?? 'usual'][follows ? 'next' : 'first']
