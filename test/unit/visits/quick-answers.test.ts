import { expect, test } from 'vitest'
import type { ApprovalEntry, EntryId, RoomName } from '../../../src/words/entry.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { QuickAnswers } from '../../../src/visits/quick-answers.ts'
import { plainOf } from '../../../src/base/text/styled.ts'
import { screenOf } from '../../support/chat-parts.ts'
import { personCalled } from '../../support/ssh-server.ts'

const ann = personCalled('ann')
const den = 'den' as RoomName

const question = (number: number, waitsFor = 'ann', requester = ann.id) => ({
  ...{ number, waitsFor, requester },
  mayAllow: () => true,
})

const asked = (number: number): ApprovalEntry => ({
  ...{ kind: 'approval', verdict: 'asked', question: number, tool: 'touch', requester: 'ann' },
  ...{ id: `${number}` as EntryId, at: 0, room: den, author: 'ann' },
  text: `question ${number}?\n/allow room ${number} – a\n/deny ${number}`,
})

/** A terminal on which these questions were shown `ms` ago. */
function terminal(open: readonly ReturnType<typeof question>[], ms: number) {
  let now = 0
  const { texts, deliver } = screenOf(ann)
  const answers = new QuickAnswers(ann, () => now)
  const screen = answers.over({ deliver } as never, () => open)
  for (const { number } of open) screen.deliver(asked(number), { waits: true })
  now += ms
  return { texts, read: (line: string) => answers.read(line, den, open) }
}

test.each([
  ['y', { command: 'allow 3' }],
  [' Yes ', { command: 'allow 3' }],
  ['3', { command: 'allow 3' }],
  ['n', { command: 'deny 3' }],
  ['NO', { command: 'deny 3' }],
  ['//y', { say: 'y' }],
  ['//3', { say: '3' }],
  ['4', { say: '4' }],
  ['yes please', { say: 'yes please' }],
  ['//etc', { say: '//etc' }],
])('the line %j is read as an answer to the only question if it is one', (line, reading) =>
  expect(terminal([question(3)], 1_000).read(line)).toEqual(reading),
)

test('a word does not answer a question that has just appeared, and is not posted', () => {
  const { read } = terminal([question(3)], 999)
  expect(read('y')).toEqual({
    problem: 'question 3 has just come: y again answers it, //y says it',
  })
})

test('a word answers none of several questions, and a number answers the question with it', () => {
  const { read } = terminal([question(3), question(4)], 1_000)
  const problem = 'several questions wait: 3, 4;'
  expect(read('y')).toEqual({ problem: `${problem} a number alone allows one, //y says it` })
  expect(read('n')).toEqual({ problem: `${problem} /deny 3 denies one, //n says it` })
  expect(read('4')).toEqual({ command: 'allow 4' })
})

test("a word answers neither another person's question nor a question for admins", () => {
  const { read } = terminal([question(3, 'bob', 'bob' as PersonId), question(4, 'an admin')], 1_000)
  expect(read('y')).toEqual({ say: 'y' })
  expect(read('3')).toEqual({ command: 'allow 3' })
  expect(read('4')).toEqual({ say: '4' })
})

test("the last row of a person's own question has the words that answer it", () => {
  const last = (open: readonly ReturnType<typeof question>[]) =>
    plainOf(terminal(open, 0).texts()[0] ?? '').split('\n')
  expect(last([question(3)])).toEqual([
    ...['question 3?', '/allow room 3 – a', '/deny 3', 'y · n · /allow room'],
  ])
  expect(last([question(3), question(4)]).at(-1)).toBe('3 · /deny 3 · /allow room 3')
  expect(last([question(3, 'an admin')]).at(-1)).toBe('/deny 3')
})
