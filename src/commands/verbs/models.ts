import { counted } from '../../lib/plural.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Turns } from '../../turns/turns.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

type Model = Awaited<ReturnType<Turns['models']>>[number]

export const modelsCommand = (turns: Pick<Turns, 'models'>): Command =>
  defineCommand({
    name: 'models',
    summary: 'the models you can mention, and what they have used where you can see it',
    room: 'none',
    flags: [JSON_FLAG],
    example: '--json',
    async run({ person, flags, out }) {
      const models = await turns.models(person)
      if (flags.json) return out.line(safeJson(models))
      for (const model of models) out.line(modelLine(model))
    },
  })

function modelLine(model: Model): string {
  const { name, backend, turns, input, cached, output, fallback, enabled } = model
  const read = cached > 0 ? `${input} tokens read (${cached} of them cached)` : `${input} tokens read`
  const facts = [
    `@${name}  ${backend} ${model.model}, ${windowOf(model)}`,
    `${counted(turns, 'turn')}, ${read}, ${output} written`,
    learned(model),
    ...(fallback === undefined ? [] : [`where it fails, @${fallback} is asked`]),
    ...lacking(model),
    ...doubts(model),
  ]
  return `${facts.filter((fact) => fact !== '').join('; ')}${enabled ? '' : '  (disabled)'}`
}

function windowOf({ contextWindow, configuredWindow, isWindowGuessed = false }: Model): string {
  if (contextWindow >= configuredWindow) return `window ${contextWindow}`
  const why = isWindowGuessed ? 'a guess, since a longer prompt was refused' : 'its server takes no more'
  return `window ${contextWindow} (not ${configuredWindow}: ${why})`
}

/** What was learned from reports and refusals: the provider counts more than we do, or has a smaller window than it tells. */
const learned = ({ calibration = 1 }: Model): string =>
  calibration === 1 ? '' : `prompts are bounded by ${calibration.toFixed(2)} times our count`

const lacking = ({ lacks }: Model): readonly string[] => [
  ...(lacks?.tools === undefined ? [] : [`no tools: ${lacks.tools}`]),
  ...(lacks?.systemRole === undefined ? [] : [`no system message: ${lacks.systemRole}`]),
]

const doubts = ({ isDoubted = false }: Model): readonly string[] =>
  isDoubted
    ? ['what its server reports looks cut off: it may read only a part of each prompt; check its window']
    : []
