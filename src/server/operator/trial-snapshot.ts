import { EXACT_FRAMING, type Snapshot } from '../../wrap/index.ts'

/** Returns a small snapshot that fills every field. */
export const trialSnapshot = (): Snapshot => ({
  now: Date.UTC(2026, 0, 1),
  room: {
    name: 'lobby',
    topic: 'a topic',
    vibe: 'a vibe',
    private: false,
    exits: [{ direction: 'north', room: 'attic' }],
    todo: [{ content: 'try the script', status: 'pending' }],
    values: {},
  },
  user: { name: 'someone', role: 'member' },
  present: [
    { name: 'someone', kind: 'person', role: 'member' },
    { name: 'guide', kind: 'model', role: 'model' },
  ],
  model: {
    name: 'guide',
    contextWindow: 32_768,
    maxOutput: 4_096,
    encoding: 'o200k_base',
    systemPrompt: 'You are kind.',
    backend: 'guide',
    framing: EXACT_FRAMING,
    calibration: 1,
  },
  tools: [
    {
      id: 'calculator',
      name: 'calculator',
      group: 'builtin',
      source: 'builtin',
      title: 'Calculator',
      description: 'Works out an expression.',
      schema: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
      access: 'read',
      aliasOf: [],
    },
  ],
  history: [],
  message: 'someone: hello',
  toolsShare: 0.4,
})
