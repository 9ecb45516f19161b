import fc from 'fast-check'
import type { UnnamedTool } from '../../src/wrap/scope/tool-names.ts'
import { catalogue, sampleTool } from './snapshot.ts'

/** `LONG_RUNS=1` (with `PROPERTY_RUNS=full`) makes property tests of tools a hundred times as long, and their rooms as large as rooms can be. */
const isLong = (process.env['LONG_RUNS'] ?? '') !== ''

/** How many times the usual number of runs. */
export const MANY_RUNS = isLong ? 100 : 1

const MAX_TOOLS = isLong ? 500 : 60

/** Ids that become one another when they are shortened, made legal, or given a hash. */
const ODD_IDS = [
  ...'find_tools find_tools_1c89db1e sshawl_look look a.b a/b a_b 0tool _0tool __proto__ constructor'.split(
    ' ',
  ),
  ...['a', 'b'].map((end) => `${'x'.repeat(90)}${end}`),
]

const words = fc.oneof(
  { weight: 12, arbitrary: fc.nat(40) },
  { weight: 4, arbitrary: fc.nat(1000) },
  { weight: 1, arbitrary: fc.nat(20_000) },
)
const choices = fc.oneof(
  { weight: 20, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.nat(60) },
  { weight: 1, arbitrary: fc.nat(4000) },
)

interface ToolSize {
  readonly words: number
  readonly choices: number
  readonly odd: string
}

function toolOf({ words: length, choices: enumerated, odd }: ToolSize, index: number): UnnamedTool {
  const names = Array.from({ length: enumerated }, (_, choice) => `c${choice}`)
  const schema = { type: 'object', properties: { one: { type: 'string', description: 'One.', enum: names } } }
  const description = `Does ${odd}${index}. ${'word '.repeat(length)}`
  return sampleTool(index < ODD_IDS.length ? ODD_IDS[index]! : `tool_${index}`, {
    description,
    ...(enumerated > 0 ? { schema } : {}),
  })
}

/** Tools of 10 to 20,000 tokens and more, with odd names among them. */
export const anyTools = fc
  .array(fc.record({ words, choices, odd: fc.constantFrom('', '漢字 ', 'x/y ', '👩‍👩‍👧 ', '\n', '**') }), {
    maxLength: MAX_TOOLS,
    size: 'max',
  })
  .map((sizes) => catalogue(...sizes.map(toolOf)))

const keptTool = (maxIndex: number) =>
  fc.record({ index: fc.nat(maxIndex), form: fc.constantFrom('full' as const, 'short' as const) })

/** A room's tools, a model's window and limits, and what a turn has done. */
export const anyRoomOfTools = fc
  .record({
    tools: anyTools,
    target: fc.oneof(fc.integer({ min: 1000, max: 12_000 }), fc.integer({ min: 12_000, max: 200_000 })),
    calls: fc.array(fc.nat(5000), { maxLength: 8 }),
    called: fc.array(keptTool(20), { maxLength: 3 }),
    found: fc.array(keptTool(40), { maxLength: 10 }),
    reserve: fc.nat(2000),
    maxTools: fc.constantFrom(undefined, undefined, 10, 128),
  })
  .map(({ tools, target, calls, called, found, reserve, maxTools }) => {
    const kept = ({ index, form }: { index: number; form: 'full' | 'short' }) => ({ id: idAt(index), form })
    const idAt = (index: number): string => tools[index % Math.max(1, tools.length)]?.id ?? 'none'
    return {
      ...{ tools, target, maxTools },
      toolCalls: Object.fromEntries(calls.map((count, index) => [idAt(index * 7), count])),
      inTurn: {
        found: found.map(kept),
        called: called.map(kept),
        reserve,
      },
    }
  })

export type RoomOfTools = typeof anyRoomOfTools extends fc.Arbitrary<infer Room> ? Room : never

/** Texts of a room that are as long as people and models can make them: a to-do list, a topic, and who is here. */
export const anyLongTexts = fc
  .record({
    items: fc.integer({ min: 1, max: 100 }),
    characters: fc.integer({ min: 1, max: 500 }),
    models: fc.nat(400),
  })
  .map(({ items, characters, models }) => ({
    todo: Array.from({ length: items }, (_, index) => ({
      content: `${index} ${'rivière Straße 東京 '.repeat(40)}`.slice(0, characters),
      status: index % 3 === 0 ? ('completed' as const) : ('pending' as const),
    })),
    topic: 'what this room is for '.repeat(characters),
    present: Array.from({ length: models }, (_, index) => ({
      ...{ name: `model-${index}`, kind: 'model' as const, role: 'model' },
    })),
  }))
