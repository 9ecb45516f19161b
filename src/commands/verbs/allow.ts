import { UsageError } from '../../chat/errors.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Decision } from '../../approvals/decide.ts'
import { defineCommand, type Command, type CommandContext } from '../define.ts'

type Answers = Pick<Approvals, 'answer'>

const RULE = 'The one whose tool asks, the owner of the room, an op or an admin.'

export const allowCommand = (approvals: Answers): Command =>
  defineCommand({
    name: 'allow',
    summary:
      "let a tool do what it asks: once, in this room for some hours, or always; N is the question's number",
    room: 'here',
    arguments: [
      {
        name: 'how',
        about: 'for how long, and the number of the question, in either order',
        optional: true,
        takes: 'words',
      },
    ],
    example: 'room 3',
    rights: { rule: RULE },
    complete: () => EXTENTS,
    run: async (context) => answer(approvals, context, readWords(context.args.how)),
  })

export const denyCommand = (approvals: Answers): Command =>
  defineCommand({
    name: 'deny',
    summary: "do not let a tool do what it asks; N is the question's number",
    room: 'here',
    arguments: [{ name: 'number', about: 'of the question; needed where several are open', optional: true }],
    example: '3',
    rights: { rule: RULE },
    async run(context) {
      const { number } = context.args
      const question = number === undefined ? {} : { question: questionNumber(number, 'deny', '[N]') }
      await answer(approvals, context, { verdict: 'denied', ...question })
    },
  })

type Words = Pick<Decision, 'verdict' | 'question'>

/** A session sees the answer in the room. */
async function answer(
  approvals: Answers,
  { room, person, session, out }: CommandContext<'here'>,
  words: Words,
): Promise<void> {
  const text = await approvals.answer({ room, person, ...words })
  if (!session) out.line(text)
}

type Extent = Exclude<Decision['verdict'], 'denied'>

const EXTENTS: readonly Extent[] = ['once', 'room', 'always']
const ALLOW_FORM = '[once, room or always] [N]'

/** The words may stand in either order: `/allow 3 always`. */
function readWords(words: readonly string[]): Words {
  const extents = words.filter(isExtent)
  const [number, ...others] = words.filter((word) => !isExtent(word))
  if (extents.length > 1 || others.length > 0)
    throw misuse('allow', `"${words.at(-1)}" is one word too many`, ALLOW_FORM)
  const verdict = extents[0] ?? 'once'
  return number === undefined
    ? { verdict }
    : { verdict, question: questionNumber(number, 'allow', ALLOW_FORM) }
}

const isExtent = (word: string): word is Extent => EXTENTS.some((extent) => extent === word)

function questionNumber(word: string, verb: string, form: string): number {
  if (/^\d{1,9}$/.test(word)) return Number(word)
  throw misuse(verb, `"${word.slice(0, 40)}" is not the number of a question`, form)
}

const misuse = (verb: string, problem: string, form: string): UsageError =>
  new UsageError(`${verb}: ${problem}`, `${verb} ${form}`)
