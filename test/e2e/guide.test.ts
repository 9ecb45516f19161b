import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, type ModelStage } from '../support/stage.ts'

let stage: ModelStage<AnyServer>
beforeAll(async () => {
  stage = await createModelStageHere('', { isShared: true })
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

const out = async (name: string, ...words: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await stage.as(name, words)
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  return stdout
}

const boxes = (answer: string): readonly string[] =>
  answer.split('\n').filter((line) => /^- \[.\]/.test(line))

test('only the step that a newcomer did between two answers is ticked, and for nobody else', async () => {
  const first = boxes(await out('newt', 'ask', 'lobby', '@guide help'))
  expect(first.map((line) => line.slice(0, 23))).toEqual([
    '- [ ] `hello everybody`',
    '- [ ] `@qwen what can y',
  ])
  await out('newt', 'say', 'lobby', 'hello everybody')
  const [hello, model] = boxes(await out('newt', 'ask', 'lobby', '@guide help'))
  expect(hello).toBe(first[0]?.replace('[ ]', '[x]'))
  expect(model).toBe(first[1])
  expect(boxes(await out('bob', 'ask', 'lobby', '@guide help'))).toEqual(first)
})

test('a member is not told to change tools, and an admin is', async () => {
  const member = await out('newt', 'ask', 'lobby', '@guide help')
  expect(member).toContain('- `/tools` –')
  expect(member).not.toContain('/tools off')
  expect(member).toContain('- `/allow` –')
  expect(member).toContain('- `/create NAME` –')
  expect(await out('rhea', 'ask', 'lobby', '@guide help')).toContain('- `/tools off` –')
})

test('the owner of a private room is told to invite people into it', async () => {
  await out('newt', 'create', '--private', 'burrow')
  expect(await out('newt', 'ask', 'burrow', '@guide help')).toContain('- `/invite NAME` –')
})

test('a question about talking to bob names /msg', async () => {
  expect(await out('newt', 'ask', 'lobby', '@guide how do I talk to bob?')).toMatch(
    /^- `\/msg NAME TEXT…` – write to one/,
  )
})
