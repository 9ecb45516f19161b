import type { Entry } from '../../src/words/entry.ts'
import { EXACT_FRAMING } from '../../src/wrap/model-settings.ts'
import { nameTools, type UnnamedTool } from '../../src/wrap/scope/tool-names.ts'
import type { HistoryRow, ModelProfile, Snapshot } from '../../src/wrap/snapshot.ts'

/** A model whose provider adds nothing, with room for 8,000 tokens. */
export const sampleModel: ModelProfile = {
  name: 'qwen',
  contextWindow: 9000,
  maxOutput: 1000,
  encoding: 'o200k_base',
  systemPrompt: '',
  backend: 'guide',
  framing: EXACT_FRAMING,
  calibration: 1,
}

/** A small room; everything can be replaced. */
export function sampleSnapshot(over: Partial<Snapshot> = {}): Snapshot {
  return {
    now: 1_700_000_000_000,
    room: { name: 'lobby', topic: '', vibe: '', private: false, exits: [], todo: [], values: {} },
    user: { name: 'alice', role: 'owner' },
    present: [{ name: 'alice', kind: 'person', role: 'owner' }],
    model: sampleModel,
    tools: [],
    history: [],
    message: 'alice: hello?',
    toolsShare: 0.4,
    ...over,
  }
}

/** The same, for a model with this many tokens for the prompt. */
export const snapshotFor = (target: number, over: Partial<Snapshot> = {}): Snapshot =>
  sampleSnapshot({ model: { ...sampleModel, contextWindow: target + 1000 }, ...over })

export const sampleTool = (id: string, over: Partial<UnnamedTool> = {}): UnnamedTool => ({
  id,
  group: 'builtin',
  source: 'builtin',
  title: id,
  description: `Does what ${id} says.`,
  schema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'A path' } },
    required: ['path'],
  },
  access: 'read',
  aliasOf: [],
  ...over,
})

export const catalogue = (...tools: readonly UnnamedTool[]) => nameTools(tools)

/** An entry's row; the number makes the id and the time. */
export function row(number: number, entry: Partial<Entry> & { readonly text: string }): HistoryRow {
  const id = `01J${String(number).padStart(10, '0')}`
  return { entry: { kind: 'message', author: 'bob', id, at: number, room: 'lobby', ...entry } as Entry }
}

/** So many messages of about twenty tokens. */
export const messages = (count: number): readonly HistoryRow[] =>
  Array.from({ length: count }, (_, index) =>
    row(index, { text: `message number ${index}, which says what people say in a room like this one` }),
  )
