import { describe, expect, it } from 'vitest'
import type { LanguageModel, ModelEvent, RequestMessage } from '../../src/wrap/loop/model.ts'
import { collect, sampleRequest, samplePrompt, textOf } from '../support/model-request.ts'

/** A model that can be brought to do what the exam asks for. */
export interface Examinee extends AsyncDisposable {
  readonly model: LanguageModel
  /** Makes the next answer a text. Gives the message to send. */
  expectText(): string
  /** Makes the next answer a call of `Grep` with the argument `q` = `x`. Gives the message to send. */
  expectCall(): string
  /** Makes the next answer the end after a tool's result. */
  expectEnd(): void
}

/** What every adapter of `LanguageModel` must do; run with each of them. */
export function languageModelExam(name: string, open: () => Promise<Examinee>): void {
  describe(`the language model ${name}`, () => {
    it('a model answers with text and then finishes once', async () => {
      await using examinee = await open()
      const events = await ask(examinee, examinee.expectText())
      expect(textOf(events)).not.toBe('')
      expectOneFinish(events, 'stop')
    })

    it('a model gives a complete tool call with an id, a name and arguments as text', async () => {
      await using examinee = await open()
      const events = await ask(examinee, examinee.expectCall(), 'Grep')
      const calls = events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
      expect(calls).toHaveLength(1)
      expect(calls[0]!.id).toMatch(/^[\w-]{1,64}$/)
      expect(calls[0]!.name).toBe('Grep')
      expect(JSON.parse(calls[0]!.arguments)).toEqual({ q: 'x' })
      expectOneFinish(events, 'calls')
    })

    it('a model continues after a tool result', async () => {
      await using examinee = await open()
      const message = examinee.expectCall()
      const events = await ask(examinee, message, 'Grep')
      const call = events.flatMap((event) => (event.type === 'call' ? [event.call] : []))[0]!
      examinee.expectEnd()
      const messages = [
        { role: 'assistant' as const, text: '', calls: [call] },
        { role: 'tool' as const, call: call.id, name: 'Grep', content: 'a.ts:1: x' },
      ]
      const request = { ...sampleRequest({}, 'Grep'), messages, prompt: samplePrompt({ message }) }
      const end = await collect(examinee.model.stream(request, new AbortController().signal))
      expect(textOf(end)).not.toBe('')
      expectOneFinish(end, 'stop')
    })

    it('a model answers a user message that follows its own answer', async () => {
      await using examinee = await open()
      const text = examinee.expectText()
      const messages: readonly RequestMessage[] = [
        { role: 'assistant', text: 'Hello.', calls: [] },
        { role: 'user', text },
      ]
      const request = { ...sampleRequest(), messages, prompt: samplePrompt({ message: 'ann: hello' }) }
      const events = await collect(examinee.model.stream(request, new AbortController().signal))
      expect(textOf(events)).not.toBe('')
      expectOneFinish(events, 'stop')
    })

    it('a model throws the reason of a signal that was aborted before', async () => {
      await using examinee = await open()
      const message = examinee.expectText()
      const reason = new Error('nobody waits any more')
      const request = sampleRequest({ prompt: samplePrompt({ message }) })
      await expect(collect(examinee.model.stream(request, AbortSignal.abort(reason)))).rejects.toBe(reason)
    })

    it('a model answers two concurrent requests', async () => {
      await using examinee = await open()
      const first = examinee.expectText()
      const second = examinee.expectText()
      const answers = await Promise.all([ask(examinee, first), ask(examinee, second)])
      for (const events of answers) expectOneFinish(events, 'stop')
    })
  })
}

const ask = ({ model }: Examinee, message: string, ...tools: readonly string[]): Promise<ModelEvent[]> =>
  collect(
    model.stream(
      { ...sampleRequest({}, ...tools), prompt: samplePrompt({ message }) },
      new AbortController().signal,
    ),
  )

function expectOneFinish(events: readonly ModelEvent[], reason: string): void {
  expect(events.filter((event) => event.type === 'finish')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason })
}
