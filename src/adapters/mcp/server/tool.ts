import { z } from 'zod'
import type { ToolAnswer } from './outcome.ts'
import type { VerbOutcome, VerbUse } from './ports.ts'

/** What an agent is told of a tool. */
interface ToolAbout {
  readonly title: string
  /** What it does, as short as it can be: an agent pays for it in each of its prompts. */
  readonly description: string
  /** It changes nothing. */
  readonly reads?: true
}

/** One tool that agents have: a command of the server, and how its output becomes an answer. */
export interface AgentTool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string
  readonly about: ToolAbout
  readonly input: Shape
  /** The shape of the answer's data; absent where it is text alone. */
  readonly output?: z.ZodRawShape
  /** Its lines are shown as progress while it runs. */
  readonly progress?: (line: string) => string | undefined
  use(input: z.output<z.ZodObject<Shape>>): VerbUse
  /** Of a command that ended well, or of any where `answersAlways`. */
  answer(outcome: VerbOutcome, input: z.output<z.ZodObject<Shape>>): ToolAnswer
  /** What went wrong is in the output, too. */
  readonly answersAlways?: true
}

/** Declares a tool; the list of all holds tools of any input. */
export function agentTool<Shape extends z.ZodRawShape>(tool: AgentTool<Shape>): AgentTool {
  return tool
}

/** A room's name. Whether there is such a room is for the command to say. */
export const room = z.string().min(1).max(64).describe('Its name')

/** Something to say, to ask or to set; how long it may be is for the command to say. */
export const text = z.string().min(1)

/** An object with at least these. */
export const entries = z.array(z.looseObject({ id: z.string(), kind: z.string(), text: z.string() }))
