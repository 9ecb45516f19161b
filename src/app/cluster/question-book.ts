import type { AskedFor, GivenAnswer, QuestionBook } from '../../approvals/ports.ts'
import type { QuestionKey, QuestionRow } from '../../cluster/work-ports.ts'
import type { SharedQuestions } from '../../cluster/questions.ts'
import type { JsonObject } from '../../lib/json.ts'

/** The questions of all servers, numbered once in each room. */
export const sharedQuestionBook = (
  questions: Pick<SharedQuestions, 'open' | 'close' | 'answer' | 'elsewhere'>,
): QuestionBook => ({
  open: (asked, mayOpen, answered) =>
    questions.open(
      { room: asked.room, person: asked.requester.id, asked: toJson(asked) },
      mayOpen,
      (answer) => answered(answer as unknown as GivenAnswer),
    ),
  close: (room, number) => questions.close({ room, number }),
  elsewhere: (room) =>
    questions.elsewhere(room).map((row) => ({
      number: row.number,
      asked: askedIn(row),
      pass: ({ person: { name }, verdict }) => questions.answer(keyOf(row), { person: { name }, verdict }),
    })),
})

/** What was asked, as the server that asked has written it. */
export const askedIn = ({ asked }: Pick<QuestionRow, 'asked'>): AskedFor => asked as unknown as AskedFor

const keyOf = ({ room, number }: QuestionKey): QuestionKey => ({ room, number })

/** Without what only the server has to do with that asks. */
const toJson = ({ requester: { id, name, admin, guest }, ...asked }: AskedFor): JsonObject => {
  const { room, tool, access, target, detail, model, turn, onceOnly } = asked
  return {
    requester: { id, name, admin, guest },
    ...{ room, tool, access, target, detail },
    ...(model !== undefined && { model }),
    ...(turn !== undefined && { turn }),
    ...(onceOnly !== undefined && { onceOnly }),
  }
}
