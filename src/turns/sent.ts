import type { ToolDefinition } from '../prompt/prompt.ts'
import type { ModelRequest, SentStep, TurnRecord, TurnStore } from './ports.ts'

/** Puts a turn's requests on record, each when it is sent. Rejects with `StorageError`. */
export type SentLog = (request: ModelRequest) => Promise<void>

/** The log of one turn: the first prompt goes to the turn's record, of later requests only what is new. */
export function createSentLog(turn: string, turns: Pick<TurnStore, 'finish' | 'addStep'>): SentLog {
  let before: ModelRequest | undefined
  return async (request) => {
    const last = before
    before = { ...request, steps: [...request.steps] }
    if (last) await turns.addStep(turn, newIn(before, last))
    else await turns.finish(turn, { prompt: request.prompt })
  }
}

function newIn(request: ModelRequest, last: ModelRequest): SentStep {
  return {
    ...(request.prompt === last.prompt ? {} : { prompt: request.prompt }),
    messages: request.steps.slice(last.steps.length),
    ...(sameBytes(request.tools, last.tools) ? {} : { tools: request.tools }),
  }
}

const sameBytes = (a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** Every request of a turn as it was sent, in order; none if none was. Needs a record with its steps. */
export function requestsOf({ prompt, steps = [] }: TurnRecord): readonly Omit<ModelRequest, 'maxOutput'>[] {
  if (!prompt) return []
  const first = { prompt, steps: [], tools: prompt.tools.flatMap((tool) => tool.definition ?? []) }
  const requests: Omit<ModelRequest, 'maxOutput'>[] = [first]
  for (const step of steps) {
    const last = requests.at(-1)!
    requests.push({
      prompt: step.prompt ?? last.prompt,
      steps: [...last.steps, ...step.messages],
      tools: step.tools ?? last.tools,
    })
  }
  return requests
}
