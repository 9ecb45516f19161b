import { indentLater } from '../../words/entry-text.ts'

export interface PanelAnswer {
  /** The model that answered, possibly a fallback. */
  readonly author: string
  readonly text: string
}

interface PanelFacts {
  readonly question: string
  readonly names: readonly string[]
  readonly rounds: number
}

/** The question to a member in a round. `answers` are those of the round before. */
export function memberText(
  { question, names, rounds }: PanelFacts,
  me: string,
  round: number,
  answers: readonly PanelAnswer[],
): string {
  const panel = `You are @${me}, in a panel of ${list(names)}, round ${round} of ${rounds}.`
  if (round === 1) return `${question}\n\n(${panel} Answer alone: you see no other answer.)`
  const task = `(${panel} Read these answers and give yours anew: say what you change, and why.)`
  return [question, ...answers.map(answerText), task].join('\n\n')
}

/** The question to the model that writes the panel's answer. */
export function mergeText(
  { question, names }: PanelFacts,
  me: string,
  answers: readonly PanelAnswer[],
): string {
  const task =
    `(You are @${me}. A panel of ${list(names)} gave these answers. Write one answer from them, and then say ` +
    `where they differ, and who says what.)`
  return [question, ...answers.map(answerText), task].join('\n\n')
}

const answerText = ({ author, text }: PanelAnswer): string => `${author} answered: ${indentLater(text)}`

const list = (names: readonly string[]): string => names.map((name) => `@${name}`).join(', ')
