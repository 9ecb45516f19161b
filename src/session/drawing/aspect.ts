import type { ToolCallEntry } from '../../chat/entry.ts'

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
