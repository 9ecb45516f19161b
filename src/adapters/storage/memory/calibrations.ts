import type { Calibration, CalibrationStore } from '../../../prompt/ports.ts'
import { stored } from './table.ts'

/** Factors by model, in a map. */
export function createMemoryCalibrations(): CalibrationStore {
  const byModel = new Map<string, Calibration>()
  const find = (model: string): Calibration | undefined => {
    const known = byModel.get(model)
    return known && stored(known)
  }
  return {
    find: async (model) => find(model),
    async change(model, change) {
      const next = change(find(model))
      if (next) byModel.set(model, stored(next))
    },
  }
}
