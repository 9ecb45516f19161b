import { afterAll, expect, test } from 'vitest'
import type { HistoryRow, Snapshot } from '../../../src/wrap/snapshot.ts'
import { userContent, type Prompt } from '../../../src/wrap/prompt.ts'
import { catalogue, row, sampleModel, sampleSnapshot, sampleTool } from '../../support/snapshot.ts'
import { createWorkbench } from '../../support/workbench.ts'

const bench = await createWorkbench()
afterAll(() => bench.engine.close())

const PEOPLE = ['ann', 'ben', 'cat', 'dan']
const ROLES = ['owner', 'op', 'member', 'member']
const WINDOWS = { qwen: 9_000, big: 24_000 }
const ASKS = 60
const START = 1_700_000_000_000

/** Returns a number below `most`; the same series in each run. */
function createDice(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const WORDS =
  'the build fails on the second node since we moved its cache so please look at what it logs'.split(' ')

/** A request as a provider reads it: definitions, then the system text, then the user's part. */
const bytesOf = (prompt: Prompt): string =>
  JSON.stringify(prompt.tools.flatMap(({ definition }) => definition ?? [])) +
  prompt.system +
  userContent(prompt)

function sharedLength(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return at
}

interface Ask {
  /** True if the conversation begins at another entry than before. */
  readonly isCut: boolean
  readonly hasNewTool: boolean
  /** The part of the bytes before new rows that begin the request before of the same model. */
  readonly same: number
}

/** Four people ask two models by turns, come and go, and a tool is added at noon. One has memories of their own. */
function teamDay(seed: number): readonly Ask[] {
  const dice = createDice(seed)
  const rows: HistoryRow[] = []
  const say = (author: string, words: number, kind: 'message' | 'reply' = 'message'): string => {
    const text = `#${rows.length} ${Array.from({ length: words }, () => WORDS[dice(WORDS.length)]).join(' ')}`
    rows.push(row(rows.length, { author, text, kind, at: START + rows.length * 90_000 }))
    return text
  }
  for (let index = 0; index < 420; index += 1) say(PEOPLE[dice(4)]!, 8 + dice(60))
  const tools = Array.from({ length: 8 }, (_, index) => sampleTool(`tool_${index}`))
  const present = new Set(PEOPLE)
  const last = new Map<
    string,
    { readonly bytes: string; readonly rows: number; readonly start: string; readonly tools: number }
  >()
  const asks: Ask[] = []
  for (let ask = 0; ask < ASKS; ask += 1) {
    if (ask === ASKS / 2) tools.push(sampleTool('tool_late'))
    const moves = PEOPLE[dice(4)]!
    if (dice(3) === 0 && (present.size > 2 || !present.has(moves)))
      present[present.has(moves) ? 'delete' : 'add'](moves)
    for (let chat = dice(4); chat > 0; chat -= 1) say([...present][dice(present.size)]!, 4 + dice(40))
    const asker = [...present][dice(present.size)]!
    const model = dice(2) === 0 ? 'qwen' : 'big'
    const asked = say(asker, dice(10) === 0 ? 200 : 5 + dice(40))
    const given: Snapshot = sampleSnapshot({
      now: START + rows.length * 90_000,
      user: { name: asker, role: ROLES[PEOPLE.indexOf(asker)]! },
      present: [
        ...[...present].map((name) => ({
          name,
          kind: 'person' as const,
          role: ROLES[PEOPLE.indexOf(name)]!,
        })),
        ...Object.keys(WINDOWS).map((name) => ({ name, kind: 'model' as const, role: 'model' })),
      ],
      room: {
        ...sampleSnapshot().room,
        todo: [{ content: 'mend the build', status: ask < 40 ? 'pending' : 'completed' }],
      },
      model: { ...sampleModel, name: model, contextWindow: WINDOWS[model] },
      memory: [{ number: 1, author: 'ann', text: 'the second node has a new cache' }],
      ...(asker === 'ben' ? { memoryOfAsker: ['reads logs only in German', 'is new here'] } : {}),
      tools: catalogue(...tools),
      history: rows.slice(0, -1).slice(-500),
      message: `${asker}: ${asked}`,
    })
    const bytes = bytesOf(bench.compose(given))
    const before = last.get(model)
    const [start = ''] = /so far\n(?:\[.*\]\n)?.*/.exec(bytes) ?? []
    if (before) {
      const isNew = rows
        .slice(before.rows)
        .map(({ entry }) => bytes.indexOf(`${entry.author}: ${entry.text}`))
      const end = Math.min(...isNew.filter((at) => at >= 0))
      asks.push({
        isCut: before.start !== start,
        hasNewTool: before.tools !== tools.length,
        same: sharedLength(bytes, before.bytes) / end,
      })
    }
    last.set(model, { bytes, rows: rows.length, start, tools: tools.length })
    say(model, 10 + dice(120), 'reply')
  }
  return asks
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

test('when a team asks in turns, each request begins like the previous one of its model', () => {
  for (const seed of [1, 2, 3]) {
    const asks = teamDay(seed)
    const same = asks.map((ask) => ask.same)
    const mean = same.reduce((sum, one) => sum + one, 0) / same.length
    const changed = asks.filter((ask) => ask.same < 0.9)
    console.log(
      `day ${seed}: the same as before: median ${percent(median(same))}, mean ${percent(mean)}, ` +
        `${changed.length} of ${asks.length} requests below 90 %`,
    )
    expect(median(same)).toBeGreaterThanOrEqual(0.97)
    expect(mean).toBeGreaterThanOrEqual(0.75)
    expect(changed.filter(({ isCut, hasNewTool }) => !isCut && !hasNewTool)).toEqual([])
  }
})

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
