import { safeJson } from '../../lib/safe-json.ts'
import type { Turns } from '../../turns/turns.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

type Model = Awaited<ReturnType<Turns['models']>>[number]

export const modelsCommand = (turns: Pick<Turns, 'models'>): Command =>
  defineCommand({
    name: 'models',
    summary: 'the models you can mention, and what they have used',
    room: 'none',
    flags: [JSON_FLAG],
    example: '--json',
    async run({ flags, out }) {
      const models = await turns.models()
      if (flags.json) return out.line(safeJson(models))
      for (const model of models) out.line(modelLine(model))
    },
  })

function modelLine(model: Model): string {
  const state = model.enabled ? '' : '  (disabled)'
  const spent = `${model.turns} turns, ${model.input} tokens read, ${model.output} written`
  return `@${model.name}  ${model.backend} ${model.model}, window ${model.contextWindow}; ${spent}${learned(model)}${state}`
}

/** By how much the provider's counts differ from ours, once it has reported any. */
const learned = ({ calibration, reports }: Model): string =>
  reports === 0
    ? ''
    : `; counts ${calibration.toFixed(2)} times what we count (${reports} ${reports === 1 ? 'report' : 'reports'})`
