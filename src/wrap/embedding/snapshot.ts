import { EXACT_FRAMING } from '../model-settings.ts'
import type { ModelProfile, Snapshot } from '../snapshot.ts'

export interface SnapshotOptions extends Partial<Omit<Snapshot, 'model' | 'script'>> {
  /** Tokens of all that is sent: the model's window without its answer. */
  readonly target: number
  /** Default: counted in `o200k_base`, with `EXACT_FRAMING`. */
  readonly model?: Partial<Omit<ModelProfile, 'contextWindow' | 'maxOutput'>>
  /** Lua, for `composePrompt`. */
  readonly script?: string
}

/** Creates what a prompt is composed from. A program has no room, so all that describes one is empty. */
export const createSnapshot = ({ target, model, script, ...given }: SnapshotOptions): Snapshot => ({
  now: Date.now(),
  room: { name: 'program', topic: '', vibe: '', private: false, exits: [], todo: [], values: {} },
  user: { name: 'program', role: 'owner' },
  present: [],
  tools: [],
  history: [],
  message: '',
  toolsShare: 0.4,
  ...given,
  model: {
    name: 'model',
    backend: 'program',
    systemPrompt: '',
    encoding: 'o200k_base',
    framing: EXACT_FRAMING,
    calibration: 1,
    ...model,
    contextWindow: target,
    maxOutput: 0,
  },
  ...(script === undefined ? {} : { script: { source: script, version: 0 } }),
})
