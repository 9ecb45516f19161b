import { cleanText } from '../lib/text/clean-text.ts'
import { fence } from '../lib/text/fence.ts'

/**
 * Puts marks around text that strangers wrote, so that a model can tell where it begins and ends. The mark is new each
 * time: the author of the text cannot know it, and so cannot end the text early. `what` names it: `page`, `results`.
 */
export const fenced = (what: string, text: string, mark: string = newMark()): string =>
  fence(what, cleanText(text), mark)

const newMark = (): string => crypto.randomUUID().slice(0, 8)
