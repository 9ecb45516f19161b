import { cleanLine } from '../../lib/text/clean-text.ts'
import { indentLater } from '../entry-text.ts'
import type { Sender } from './ports.ts'

/** A message from one person to another one, as either of them is shown it. */
export interface PersonalMessage {
  /** `bob -> you`, `you -> bob`. No name has a blank in it, so no line of a room begins like that. */
  readonly head: string
  readonly text: string
  readonly from: Pick<Sender, 'name' | 'guest'>
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number
  /** The person who is shown it wrote it. */
  readonly isOwn?: true
}

/** `bob -> you: hello`; later lines are indented. */
export const personalLine = ({ head, text }: Pick<PersonalMessage, 'head' | 'text'>): string =>
  indentLater(`${cleanLine(head)}: ${text}`)
