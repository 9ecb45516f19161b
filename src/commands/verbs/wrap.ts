import type { Turns } from '../../turns/turns.ts'
import { WrapError } from '../../prompt/ports.ts'
import { BREAK, userContent, type Prompt } from '../../prompt/prompt.ts'
import { toolGroups } from '../../prompt/shown/tool-groups.ts'
import { Refusal } from '../../chat/errors.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Clock } from '../../chat/ports.ts'
import { wrapPage } from '../../pages/wrap-page.ts'
import { HTML_FLAG, refuseInSession } from './shared/html-page.ts'
import { modelName } from './shared/model-name.ts'
import { wrapChart } from './shared/wrap-chart.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const wrapCommand = (
  turns: Pick<Turns, 'names' | 'prompt' | 'scope'>,
  clock: Pick<Clock, 'now'>,
): Command =>
  defineCommand({
    name: 'wrap',
    summary: 'what a model would be sent now, layer by layer; full prints the text itself, and each tool',
    room: 'here',
    flags: [JSON_FLAG, HTML_FLAG],
    arguments: [
      { name: 'model', about: 'the first one without it', optional: true },
      { name: 'full', about: 'the text itself', optional: true, oneOf: ['full'] },
    ],
    example: '@guide full',
    needsVoice: () => false,
    async run({ person, room, args, flags, out, session }) {
      const { model, full } = asked(args.model, args.full, turns.names())
      if (flags.html) refuseInSession({ session }, 'wrap', `@${model}`)
      const prompt = await turns.prompt({ room, person, model }).catch(refuse)
      if (flags.json) return out.line(safeJson(promptJson(room.name, model, prompt)))
      const shown = {
        model,
        prompt,
        groups: toolGroups(prompt.tools, await sourcesOf({ room, person, model }, turns)),
      }
      if (flags.html) {
        const page = await wrapPage(shown, { room: room.name, person: person.name, at: clock.now() })
        return out.write(String(page))
      }
      if (full) out.line(textOf(prompt))
      out.line(wrapChart(shown, out.columns, full ? 'unfolded' : 'folded'))
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

/** What is sent, as one text. */
const textOf = (prompt: Prompt): string =>
  cleanText([prompt.system, userContent(prompt)].filter((text) => text !== '').join(BREAK))

/** Where each tool comes from, by its id. */
async function sourcesOf(
  query: Parameters<Turns['scope']>[0],
  turns: Pick<Turns, 'scope'>,
): Promise<ReadonlyMap<string, string>> {
  const { tools } = await turns.scope(query)
  return new Map(tools.map(({ tool }) => [tool.id, tool.source]))
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
