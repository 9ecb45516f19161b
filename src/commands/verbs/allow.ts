import { UsageError } from '../../chat/errors.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Decision } from '../../approvals/decide.ts'
import type { Call, Command } from '../command.ts'

type Extent = Exclude<Decision['verdict'], 'denied'>

export const allowCommand = (approvals: Approvals): Command => ({
  name: 'allow',
  summary:
    "let a tool do what it asks: once, in this room for some hours, or always; N is the question's number",
  room: 'here',
  parameters: [{ name: 'how', optional: true, takes: 'words' }],
  async run(call) {
    await answer(approvals, call, readWords(call.args['how'] ?? ''))
  },
})

export const denyCommand = (approvals: Approvals): Command => ({
  name: 'deny',
  summary: "do not let a tool do what it asks; N is the question's number",
  room: 'here',
  parameters: [{ name: 'number', optional: true }],
  async run(call) {
    const { number } = call.args
    const question = number === undefined ? {} : { question: questionNumber(number, 'deny', '[N]') }
    await answer(approvals, call, { verdict: 'denied', ...question })
  },
})

type Words = Pick<Decision, 'verdict' | 'question'>

/** A session sees the answer in the room. */
async function answer(
  approvals: Approvals,
  { room, person, session, out }: Call,
  words: Words,
): Promise<void> {
  const text = await approvals.answer({ room: room!, person, ...words })
  if (!session) out.line(text)
}

/** The words may stand in either order: `/allow 3 always`. */
function readWords(text: string): Words {
  const words = text.split(' ').filter((word) => word !== '')
  const extents = words.filter(isExtent)
  const others = words.filter((word) => !isExtent(word))
  if (extents.length > 1 || others.length > 1) throw misuse('allow', `"${words.at(-1)}" is one word too many`)
  const verdict = extents[0] ?? 'once'
  return others[0] === undefined
    ? { verdict }
    : { verdict, question: questionNumber(others[0], 'allow', '[once, room or always] [N]') }
}

const isExtent = (word: string): word is Extent => word === 'once' || word === 'room' || word === 'always'

function questionNumber(word: string, verb: string, form: string): number {
  if (/^\d{1,9}$/.test(word)) return Number(word)
  throw misuse(verb, `"${word.slice(0, 40)}" is not the number of a question`, form)
}

const misuse = (verb: string, problem: string, form = '[once, room or always] [N]'): UsageError =>
  new UsageError(`${verb}: ${problem}`, `${verb} ${form}`)
