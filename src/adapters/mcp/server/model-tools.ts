import { z } from 'zod'
import { isJsonObject, parseJson, type JsonObject } from '../../../lib/json.ts'
import type { VerbOutcome, VerbUse } from './agent.ts'
import {
  agentTool,
  entries,
  linesOf,
  objectOf,
  room,
  text,
  textAt,
  type AgentTool,
  type ToolAnswer,
} from './tools.ts'

/** What a model of a room would read: the first model's prompt. */
export const contextUse = (name: string): VerbUse => ({ verb: 'wrap', room: name, flags: { json: true } })

/** All that a model would read, as one text. */
export function contextText(outcome: VerbOutcome): string {
  const prompt = objectOf(outcome)
  return [textAt(prompt, 'system_prompt'), textAt(prompt, 'context')].filter((one) => one !== '').join('\n\n')
}

const roomContext = agentTool({
  name: 'room_context',
  about: {
    title: 'Room Context',
    description: "What a model reads in a room: the composed prompt of the room's first model, as text.",
    reads: true,
  },
  input: { room },
  use: ({ room: name }) => contextUse(name),
  answer: (outcome) => ({ text: contextText(outcome) }),
})

const model = z.string().min(1).max(33).describe('Its name, with or without @')

const preview = agentTool({
  name: 'preview_wrap',
  about: {
    title: 'Preview Wrap',
    description: 'The prompt that a model would be sent now: layers, tools and tokens.',
    reads: true,
  },
  input: { room, model },
  output: {
    room: z.string(),
    model: z.string(),
    budget: z.looseObject({ used: z.number() }),
    layers: z.array(z.looseObject({ name: z.string() })),
    system_prompt: z.string(),
    context: z.string(),
  },
  use: ({ room: name, model: called }) => ({
    verb: 'wrap',
    room: name,
    args: { model: mentioned(called) },
    flags: { json: true },
  }),
  answer: (outcome) => ({ text: outcome.out.trim(), data: objectOf(outcome) }),
})

const askModel = agentTool({
  name: 'ask_model',
  about: {
    title: 'Ask Model',
    description: 'Ask a model in a room, where all can read it, and wait for the answer.',
  },
  input: { room, model, text },
  output: { reply: z.string(), entries },
  use: ({ room: name, model: called, text: input }) => ({
    verb: 'ask',
    room: name,
    args: { model: mentioned(called) },
    flags: { json: true },
    input,
  }),
  progress(line) {
    const entry = parseJson(line)
    return isJsonObject(entry) && entry['kind'] === 'tool_call' ? textAt(entry, 'text') : undefined
  },
  answersAlways: true,
  answer: answered,
})

/** A refused question has no entries; one whose turn failed has entries that say why. */
function answered(outcome: VerbOutcome): ToolAnswer {
  const all = linesOf(outcome)
  const of = (kind: string): readonly JsonObject[] => all.filter((entry) => entry['kind'] === kind)
  const reply = of('reply')
    .map((entry) => textAt(entry, 'text'))
    .join('\n\n')
  const failure = textAt(of('notice').at(-1), 'text')
  if (outcome.ok) return { text: reply, data: { reply, entries: all } }
  const why = [reply, failure].filter((one) => one !== '').join('\n\n')
  return { text: why || (outcome.told === '' ? 'there is no whole answer' : ''), isError: true }
}

const toolsList = agentTool({
  name: 'tools_list',
  about: {
    title: 'List Tools',
    description:
      'The tools of a room, and which of them its scope lets through. With many, search by tools_run with find_tools.',
    reads: true,
  },
  input: { room },
  output: { room: z.string(), tools: z.array(z.looseObject({ name: z.string(), visible: z.boolean() })) },
  use: ({ room: name }) => ({ verb: 'tools', room: name, args: { scope: [] }, flags: { json: true } }),
  answer: (outcome) => ({ text: outcome.out.trim(), data: objectOf(outcome) }),
})

const toolsRun = agentTool({
  name: 'tools_run',
  about: {
    title: 'Run Tool',
    description:
      'Run a tool of a room, if its scope has it. What changes something is asked in the room, where you must be. The tool find_tools {query} finds tools by what they do, and says what they take.',
  },
  input: {
    room,
    tool: z.string().min(1).max(128).describe('Its name, as tools_list has it'),
    arguments: z.record(z.string(), z.unknown()).optional(),
  },
  output: { text: z.string() },
  use: ({ room: name, tool, arguments: given }) => ({
    verb: 'run',
    room: name,
    args: { tool, json: JSON.stringify(given ?? {}) },
    flags: { json: true },
  }),
  answersAlways: true,
  answer(outcome) {
    const [entry] = linesOf(outcome)
    const isError = !outcome.ok
    return { text: textAt(entry, 'text'), ...(entry ? { data: entry } : {}), isError }
  },
})

/** A name of a model that is no other word of the command. */
const mentioned = (name: string): string => (name.startsWith('@') ? name : `@${name}`)

/** What an agent does with a room's models and tools. */
export const MODEL_TOOLS: readonly AgentTool[] = [roomContext, preview, askModel, toolsList, toolsRun]
