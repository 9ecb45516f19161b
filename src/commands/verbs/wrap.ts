import type { Turns } from '../../turns/turns.ts'
import { WrapError } from '../../prompt/ports.ts'
import { userContent, type Prompt } from '../../prompt/prompt.ts'
import { Refusal } from '../../chat/errors.ts'
import { cleanLine, cleanText } from '../../lib/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { JSON_FLAG, type Command } from '../command.ts'
import { modelName } from '../model-name.ts'
import { wrapChart } from './wrap-chart.ts'

export const wrapCommand = (turns: Turns): Command => ({
  name: 'wrap',
  summary: 'what a model would be sent now, layer by layer; full prints the text itself',
  room: 'here',
  flags: [JSON_FLAG],
  parameters: [
    { name: 'model', optional: true },
    { name: 'full', optional: true },
  ],
  async run({ person, room, args, flags, out }) {
    const { model, full } = asked(args, turns.names())
    const prompt = await turns.prompt({ room: room!, person, model }).catch(refuse)
    if (flags['json']) return out.line(safeJson(promptJson(room!.name, model, prompt)))
    if (!full) return out.line(wrapChart(model, prompt, out.columns))
    out.line(cleanText([prompt.system, userContent(prompt)].filter((text) => text !== '').join('\n\n')))
  },
})

/** `/wrap`, `/wrap full`, `/wrap @qwen`, `/wrap @qwen full`. */
function asked(args: Readonly<Record<string, string>>, names: readonly string[]) {
  const onlyFull = args['model'] === 'full' && args['full'] === undefined && !names.includes('full')
  if (args['full'] !== undefined && args['full'] !== 'full')
    throw new Refusal(`"${args['full']}" means nothing here; write full`)
  const model = onlyFull || args['model'] === undefined ? names[0]! : modelName(args['model'], names)
  return { model, full: onlyFull || args['full'] === 'full' }
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
