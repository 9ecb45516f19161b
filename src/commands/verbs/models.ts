import type { Turns } from '../../turns/turns.ts'
import { JSON_FLAG, type Command } from '../command.ts'

export const modelsCommand = (turns: Turns): Command => ({
  name: 'models',
  summary: 'the models you can mention, and what they have used',
  flags: [JSON_FLAG],
  async run({ flags, out }) {
    const models = await turns.models()
    if (flags['json']) return out.line(JSON.stringify(models))
    for (const model of models) out.line(modelLine(model))
  },
})

function modelLine(model: Awaited<ReturnType<Turns['models']>>[number]): string {
  const state = model.enabled ? '' : '  (disabled)'
  const spent = `${model.turns} turns, ${model.input} tokens read, ${model.output} written`
  return `@${model.name}  ${model.backend} ${model.model}, window ${model.contextWindow}; ${spent}${learned(model)}${state}`
}

/** How its provider counts, where it has told. */
const learned = ({
  calibration,
  reports,
}: {
  readonly calibration: number
  readonly reports: number
}): string =>
  reports === 0
    ? ''
    : `; counts ${calibration.toFixed(2)} times what we count (${reports} ${reports === 1 ? 'report' : 'reports'})`
