import type { Turns } from '../../turns/turns.ts'
import { WrapError } from '../../prompt/ports.ts'
import { userContent, type Prompt } from '../../prompt/prompt.ts'
import { Refusal } from '../../chat/errors.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { modelName } from './shared/model-name.ts'
import { wrapChart } from './shared/wrap-chart.ts'

export const wrapCommand = (turns: Pick<Turns, 'names' | 'prompt'>): Command =>
  defineCommand({
    name: 'wrap',
    summary: 'what a model would be sent now, layer by layer; full prints the text itself',
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [
      { name: 'model', about: 'the first one without it', optional: true },
      { name: 'full', about: 'the text itself', optional: true, oneOf: ['full'] },
    ],
    example: '@guide full',
    needsVoice: () => false,
    async run({ person, room, args, flags, out }) {
      const { model, full } = asked(args.model, args.full, turns.names())
      const prompt = await turns.prompt({ room, person, model }).catch(refuse)
      if (flags.json) return out.line(safeJson(promptJson(room.name, model, prompt)))
      if (!full) return out.line(wrapChart(model, prompt, out.columns))
      out.line(cleanText([prompt.system, userContent(prompt)].filter((text) => text !== '').join('\n\n')))
    },
  })

/** `/wrap`, `/wrap full`, `/wrap @qwen`, `/wrap @qwen full`. */
function asked(model: string | undefined, full: string | undefined, names: readonly string[]) {
  const onlyFull = model === 'full' && full === undefined && !names.includes('full')
  const [first = ''] = names
  return {
    model: onlyFull || model === undefined ? first : modelName(model, names),
    full: onlyFull || full === 'full',
  }
}

function refuse(error: unknown): never {
  if (error instanceof WrapError) throw new Refusal(cleanLine(error.message), { cause: error })
  throw error
}

/** The shape of `wrap --json`; `message`, `framing` and `warnings` are more than the contract asks for. */
function promptJson(room: string, model: string, prompt: Prompt) {
  return {
    room,
    model,
    encoding: prompt.encoding,
    budget: prompt.budget,
    layers: prompt.layers,
    tools: prompt.tools.map(({ name, id, tokens, form }) => ({ name, id, tokens, form })),
    system_prompt: prompt.system,
    context: prompt.context,
    warnings: prompt.warnings,
  }
}
