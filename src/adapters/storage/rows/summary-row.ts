import type { EntryId } from '../../../chat/entry.ts'
import type { SummaryDraft } from '../../../prompt/ports.ts'

/** Versions of a room's summary that are kept; there is a new one whenever enough was said. */
export const MAX_VERSIONS = 100

/** A row of `summary_drafts`. */
export type DraftRow = Record<'first' | 'last', EntryId | ''> & Pick<SummaryDraft, 'text'>

/** Ids are stored as text; an empty one stands for none. */
export const toDraft = ({ text, first, last }: DraftRow): SummaryDraft =>
  first === '' || last === '' ? { text } : { text, first, last }
