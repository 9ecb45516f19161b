import { z } from 'zod'

const text = z.string().trim().min(1)

/** Where servers put what they want to say, in order: OpenAI and most others, Ollama and xAI, vLLM before 0.10, FastAPI. */
const FORMS = [
  z.object({ error: z.object({ message: text }) }).transform(({ error }) => error.message),
  z.object({ error: text }).transform(({ error }) => error),
  z.object({ message: text }).transform(({ message }) => message),
  z.object({ detail: text }).transform(({ detail }) => detail),
]

/** What the body of an error says for people; undefined where it is not one of the known forms. A list has it in its first. */
export function messageIn(body: string): string | undefined {
  try {
    const json: unknown = JSON.parse(body)
    const value: unknown = Array.isArray(json) ? json[0] : json
    for (const form of FORMS) {
      const { data } = form.safeParse(value)
      if (data !== undefined) return data
    }
    return undefined
  } catch {
    return undefined
  }
}
