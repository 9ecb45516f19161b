import type { Entry, NewEntry, EntryId, RoomName, TurnId } from '../../src/words/entry.ts'
import type { PersonId } from '../../src/words/person.ts'

export const ROOMS: readonly RoomName[] = [
  'lobby',
  'den',
  ...Array.from({ length: 18 }, (_, n) => `room-${n}`),
].map((name) => name as RoomName)

/** What was said before in the same room, by whom a later entry may edit it, react to it or take it back. */
type Past = readonly EntryId[]

/** The entry of that number: every kind, in every script, short and long. The same number gives the same, but for its id and its past. */
export function variedEntry(n: number, id: EntryId, room: RoomName, past: Past): Entry {
  const kind = KINDS[n % KINDS.length]!
  return { id, room, at: 1_700_000_000_000 + n, ...kind(n, past) }
}

const TURN = '01HZZZZZZZZZZZZZZZZZZZZZZZ' as TurnId

const TEXTS: readonly string[] = [
  'the build on the second machine is slow again, somebody should look at the disk before the weekend',
  'Grüße aus Köln, naïve façade, Ångström, ﬁne, e\u0301 and é',
  '漢字かな交じり文と、한국어 문장, и русский текст, العربية והעברית',
  '👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇺🇳 \u{1F9D1}\u200D\u{1F680} \u{10FFFF} \uFDD0',
  `quotes ' " \\ \`, $1 {a,b} NULL \\N \\x00, a tab\there, a line\nand another\r\n`,
  'a NUL \0 in the middle, \u0001 \u001b[31m \u007f \u2028 \ufeff',
  '',
]

const LONG = 'word after word, and then some more words; '

/** Most are short. Each thousandth has 20,000 characters, each fifty-thousandth 200,000. */
function textOf(n: number): string {
  const text = TEXTS[n % TEXTS.length]!
  if (n % 50_000 === 7) return `${text}${n} ${LONG.repeat(4_650)}`
  if (n % 1_000 === 7) return `${text}${n} ${LONG.repeat(465)}`
  return `${text} ${n}`
}

const speaker = (n: number) => ({
  author: ['alice', 'Bob', '안나', 'qwen'][n % 4]!,
  by: `p${n % 4}` as PersonId,
})

const earlier = (n: number, past: Past): EntryId | undefined => past[n % (past.length || 1)]

const usage = (n: number) => ({
  usage: { input: n, cached: n >> 1, output: 7, estimated: { input: 1, output: 2 } },
  durationMs: n % 9_999,
  cost: '0.000001234',
})

/** Each gives an entry without its identity. Messages stand there more often than others. */
const KINDS: readonly ((n: number, past: Past) => NewEntry)[] = [
  (n) => ({ kind: 'message', ...speaker(n), text: textOf(n) }),
  (n) => ({ kind: 'message', author: 'carol', text: textOf(n), thread: TURN }),
  (n) => ({ kind: 'message', ...speaker(n + 1), text: textOf(n) }),
  (n, past) => ({
    kind: 'message',
    ...speaker(n),
    text: `${textOf(n)}, in other words`,
    ...refersTo('edits', earlier(n, past)),
  }),
  (n, past) => ({
    kind: 'notice',
    author: 'Bob',
    text: 'Bob took back a message',
    level: 'info',
    ...refersTo('retracts', earlier(n * 7, past)),
  }),
  (n) => ({ kind: 'action', ...speaker(n), text: `waves ${textOf(n)}` }),
  (n, past) => ({
    kind: 'action',
    ...speaker(n),
    text: '🎉',
    to: 'alice',
    ...refersTo('reacts', earlier(n * 3, past)),
  }),
  (n) => ({ kind: 'presence', author: 'ann', text: 'ann joined', event: n % 2 ? 'joined' : 'left' }),
  () => ({
    kind: 'presence',
    author: 'system',
    text: '3 people came and went',
    event: 'summed',
    joined: ['ann', '안나', 'ann'],
    left: ['ann'],
  }),
  (n) => ({
    kind: 'notice',
    author: 'alice',
    text: `alice muted Eve ${n}`,
    level: n % 3 ? 'info' : 'error',
    act: { verb: 'mute', who: 'Eve', until: '2030-01-01T00:00:00.000Z', reason: textOf(n % 7) },
  }),
  (n) => ({ kind: 'reply', author: 'qwen', text: textOf(n), turn: TURN, outcome: 'done', ...usage(n) }),
  (n) => ({
    kind: 'tool_call',
    author: 'qwen',
    text: 'Bash',
    turn: TURN,
    call: `call_${n}`,
    name: 'Bash',
    tool: `tool-${n % 30}`,
    arguments: { command: textOf(n), deep: [[['\ud800', '\0', 1e300, -0.5, null, true]]], 1: 2 },
    requester: 'alice',
    ...(n % 2 ? { notRun: true } : {}),
  }),
  (n) => ({
    kind: 'tool_result',
    author: 'qwen',
    text: textOf(n),
    call: `call_${n}`,
    name: 'Bash',
    isError: n % 5 === 0,
    durationMs: 12.5,
    bytes: n,
  }),
  (n) => ({
    kind: 'scope',
    author: 'alice',
    text: 'alice changed the tools',
    scope: { allow: ['Gr*', `t${n}`] },
  }),
  (n) => ({
    kind: 'approval',
    author: 'Bob',
    text: `asked ${n}`,
    tool: 'write_file',
    requester: 'Bob',
    question: n,
    answerers: ['alice', '안나'],
    verdict: 'asked',
  }),
]

const refersTo = (key: 'edits' | 'reacts' | 'retracts', id: EntryId | undefined) =>
  id === undefined ? {} : { [key]: id }
