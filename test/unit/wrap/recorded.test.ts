import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { EXACT_FRAMING } from '../../../src/wrap/model-settings.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import { anySnapshot, composed } from '../../support/any-snapshot.ts'
import { anyRoomOfTools, type RoomOfTools } from '../../support/any-tools.ts'
import { messages, sampleModel, snapshotFor } from '../../support/snapshot.ts'
import { createWorkbench } from '../../support/workbench.ts'

/*
 * What twenty rooms compose since late layers follow the conversation and a trimmed one begins by time. Each
 * commit composes the same bytes. `vitest -u` writes the file again: needed if a text that models read
 * changes, or if a new fast-check draws other samples.
 */
const bench = await createWorkbench()
afterAll(() => bench.engine.close())

const SCRIPTS = [
  undefined,
  'function default_wrap(t) return wrap(t):system():model_identity():tools(room_tool_scope()):history() end',
  `function default_wrap(t)
    local said = {}
    for _, row in ipairs(tools.history({limit = 3, agents = true})) do said[#said + 1] = row.text end
    return wrap(math.max(1, t - 50)):custom("a", tools.look().topic, 5, false, {trim = "tail"}):tools():history()
      :custom("b", table.concat(said, "|"), 1, true, {trim = "head"})
  end`,
  'function default_wrap(t) return wrap(t):room():user():participants():history({ limit = 4 }):summary():tools() end',
]

const roomOf = ({ target, tools, maxTools, toolCalls, inTurn }: RoomOfTools): Snapshot =>
  snapshotFor(target, {
    ...{ tools, toolCalls, inTurn },
    history: messages(target % 60),
    model: {
      ...{ ...sampleModel, contextWindow: target + 1000, calibration: 1 + (target % 5) / 10 },
      framing: { ...EXACT_FRAMING, ...(maxTools === undefined ? {} : { maxTools }) },
    },
  })

const withoutMemories = ({ memory: _memory, memoryOfAsker: _own, ...snapshot }: Snapshot): Snapshot =>
  snapshot

test('twenty sample rooms have the same prompts as the recorded snapshot', async () => {
  const rooms = [
    // They are older than memories.
    ...fc.sample(anySnapshot, { seed: 38, numRuns: 12 }).map(withoutMemories),
    ...fc.sample(anyRoomOfTools, { seed: 38, numRuns: 8 }).map(roomOf),
  ]
  const lines = rooms.map((room, index) => {
    const source = SCRIPTS[index % SCRIPTS.length]
    const snapshot = source === undefined ? room : { ...room, script: { source, version: 1 } }
    const prompt = composed(() => bench.compose(snapshot))
    if (typeof prompt === 'string') return prompt
    const names = prompt.tools.flatMap(({ definition }) => definition?.name ?? [])
    const hash = createHash('sha256').update(JSON.stringify(prompt)).digest('hex')
    return `${hash} ${prompt.budget.used} of ${prompt.budget.target} ${names.join(' ')}`.trimEnd()
  })
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('recorded/prompts.txt')
})
