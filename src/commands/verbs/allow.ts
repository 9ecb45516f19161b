import type { Approvals } from '../../approvals/approvals.ts'
import type { Decision } from '../../approvals/decide.ts'
import { type Command, type CommandContext, Misuse, defineCommand } from '../command.ts'

type Answers = Pick<Approvals, 'answer'>

const NOTE = 'And the one whose tool asks.'

export const allowCommand = (approvals: Answers): Command =>
  defineCommand({
    name: 'allow',
    summary: 'let a tool do what it asks: once, in this room for some hours, or always',
    room: 'here',
    arguments: [
      { name: 'how', about: '`once`, `room` or `always`; `once` without it', optional: true },
      {
        name: 'number',
        about: 'of the question; needed where several are open; may stand first',
        optional: true,
      },
    ],
    example: 'room 3',
    rights: { note: NOTE },
    complete: ({ argument }) => (argument === 'how' ? EXTENTS : []),
    run: async (context) => answer(approvals, context, readWords(context.args)),
  })

export const denyCommand = (approvals: Answers): Command =>
  defineCommand({
    name: 'deny',
    protects: true,
    summary: 'do not let a tool do what it asks',
    room: 'here',
    arguments: [{ name: 'number', about: 'of the question; needed where several are open', optional: true }],
    example: '3',
    rights: { note: NOTE },
    async run(context) {
      await answer(approvals, context, { verdict: 'denied', ...question(context.args.number) })
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

/** What `/allow` was given. */
interface Given {
  readonly how: string | undefined
  readonly number: string | undefined
}

/** The words may stand in either order: `/allow 3 always`. Throws `Misuse`. */
function readWords({ how, number }: Given): Words {
  if (how === undefined || isExtent(how)) return { verdict: how ?? 'once', ...question(number) }
  const verdict = number ?? 'once'
  const asked = question(how)
  if (isExtent(verdict)) return { verdict, ...asked }
  throw new Misuse(`"${verdict.slice(0, 40)}" is not one of once, room and always`)
}

const isExtent = (word: string): word is Extent => EXTENTS.some((extent) => extent === word)

function question(word: string | undefined): Pick<Words, 'question'> {
  if (word === undefined) return {}
  if (/^\d{1,9}$/.test(word)) return { question: Number(word) }
  throw new Misuse(`"${word.slice(0, 40)}" is not the number of a question`)
}
