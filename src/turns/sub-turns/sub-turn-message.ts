import { cleanText } from '../../lib/text/clean-text.ts'
import { attributed } from '../../prompt/gather-snapshot.ts'
import type { SubTurnRequest } from '../../tools/context.ts'
import type { StepMessage } from '../ports.ts'
import { transcript } from '../transcript.ts'
import type { AnsweredEntry, TurnJob } from '../turn-job.ts'

/**
 * The message that a sub-turn answers, in the name of the model that started it. It has the task. Where the sub-turn
 * continues the conversation, it also has what that model was asked and what it has done so far.
 */
export function subTurnMessage(
  { prompt, part }: SubTurnRequest,
  { message, requester, model }: Pick<TurnJob, 'message' | 'requester' | 'model'>,
  messages: readonly StepMessage[],
): AnsweredEntry {
  const by = model.settings.name
  const about =
    `This is a side turn${part ? ` (${part[0]} of ${part[1]})` : ''} that @${by} started for ${requester.name}. ` +
    `Your answer goes to @${by} and not to the room, and there is nobody to ask.`
  const text = part ? [about, ...soFar(message, messages), `Your task: ${prompt}`] : [about, prompt]
  return { ...message, author: by, text: cleanText(text.join('\n\n')) }
}

function soFar(message: AnsweredEntry, messages: readonly StepMessage[]): readonly string[] {
  const done = transcript(messages)
  return [
    `It was called with:\n${attributed(message)}`,
    ...(done.length > 0 ? [`What it has done so far:\n${done.join('\n')}`] : []),
  ]
}
