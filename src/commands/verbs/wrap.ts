import { safeJson } from '../../lib/json.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { BREAK, userContent, type Prompt } from '../../prompt/prompt.ts'
import { toolGroups } from '../../pages/prompt-report.ts'
import { arg, defineCommand, JSON_FLAG } from '../command.ts'
import { refuseWrap } from './common.ts'
import { modelNamed } from './answer.ts'
import { HTML_FLAG, refuseInSession } from './log-pages.ts'
import type { Verb } from './services.ts'
import { wrapChart } from './wrap-chart.ts'
import { wrapPage } from '../../pages/prompt.ts'

export const wrap: Verb = ({ turns, clock }) =>
  defineCommand({
    name: 'wrap',
    summary: 'what a model would be sent now, layer by layer; full prints the text itself, and each tool',
    room: 'here',
    flags: [JSON_FLAG, HTML_FLAG],
    arguments: [
      arg('model', 'the first one without it', { optional: true }),
      arg('full', 'the text itself', { optional: true, oneOf: ['full'] }),
    ],
    example: '@guide full',
    needsVoice: () => false,
    async run({ person, room, args, flags, out, session }) {
      const { model, full } = asked(args.model, args.full, turns.names())
      if (flags.html) refuseInSession({ session }, 'wrap', `@${model}`)
      const prompt = await turns.prompt({ room, person, model }).catch(refuseWrap)
      if (flags.json) return out.line(safeJson(promptJson(room.name, model, prompt)))
      const { tools } = await turns.scope({ room, person, model })
      const sources = new Map(tools.map(({ tool }) => [tool.id, tool.source]))
      const shown = { model, prompt, groups: toolGroups(prompt.tools, sources) }
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
    model: onlyFull || model === undefined ? first : modelNamed(model, names),
    full: onlyFull || full === 'full',
  }
}

const textOf = (prompt: Prompt): string =>
  cleanText([prompt.system, userContent(prompt)].filter((text) => text !== '').join(BREAK))

/** The shape of `wrap --json`; `message`, `framing` and `warnings` are more than the contract asks for. */
function promptJson(room: string, model: string, prompt: Prompt) {
  const { encoding, budget, layers, system, context, warnings } = prompt
  const tools = prompt.tools.map(({ name, id, tokens, form }) => ({ name, id, tokens, form }))
  return { room, model, encoding, budget, layers, tools, system_prompt: system, context, warnings }
}
