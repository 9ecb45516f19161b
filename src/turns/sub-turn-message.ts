import { indentLater } from '../chat/entry-text.ts'
import type { MessageEntry } from '../chat/entry.ts'
import { cleanText } from '../lib/clean-text.ts'
import type { SideOrder } from '../tools/tool.ts'
import type { StepMessage } from './ports.ts'
import { attributed } from '../prompt/gather-snapshot.ts'
import type { TurnJob } from './turn.ts'

/**
 * What a side turn is told, in the name of the model that started it: its task, and where it goes on from the
 * conversation, what was asked for and what was done so far.
 */
export function briefing(
  { prompt, part }: SideOrder,
  { message, requester, model }: Pick<TurnJob, 'message' | 'requester' | 'model'>,
  steps: readonly StepMessage[],
): MessageEntry {
  const by = model.settings.name
  const about =
    `This is a side turn${part ? ` (${part[0]} of ${part[1]})` : ''} that @${by} started for ${requester.name}. ` +
    `Your answer goes to @${by} and not to the room, and there is nobody to ask.`
  const text = part ? [about, ...soFar(message, steps), `Your task: ${prompt}`] : [about, prompt]
  return { ...message, author: by, text: cleanText(text.join('\n\n')) }
}

function soFar(message: MessageEntry, steps: readonly StepMessage[]): readonly string[] {
  const done = transcript(steps)
  return [
    `It was called with:\n${attributed(message)}`,
    ...(done.length > 0 ? [`What it has done so far:\n${done.join('\n')}`] : []),
  ]
}

/** What was said and found out, later lines indented; calls that are not answered yet are left out. */
function transcript(steps: readonly StepMessage[]): readonly string[] {
  const asked = new Map(
    steps.flatMap((step) => (step.role === 'assistant' ? step.calls : [])).map((call) => [call.id, call]),
  )
  return steps.flatMap((step) => {
    if (step.role === 'assistant') return step.text ? [indentLater(`said: ${step.text}`)] : []
    const args = asked.get(step.call)?.arguments ?? ''
    return [indentLater(`called ${step.name} ${args}\nresult: ${step.content}`)]
  })
}
