import { expect, it } from 'vitest'
import {
  callTool,
  createContext,
  defineTool,
  WORKSPACE_TOOLS,
  type ToolContext,
} from '../../../../src/index.ts'

const says = defineTool({
  id: 'says',
  description: 'Says who called it, and where.',
  access: 'read',
  parameters: {},
  run: async (_args, { chat, requester, room, limits, signal, addMessage }) => {
    const { author } = await addMessage({ kind: 'notice', level: 'info', author: 'says', text: 'x' })
    const facts = [requester.person.name, room, author, chat.model ?? 'no model', chat.messages.length]
    return [...facts, limits.timeoutMs, signal.aborted].join(' ')
  },
})
const keeps = defineTool({
  id: 'keeps',
  description: 'Keeps a note.',
  access: 'write',
  parameters: { note: { type: 'string', description: 'The note.' } },
  run: ({ note }) => `kept ${note}`,
})
const named = (id: string) => WORKSPACE_TOOLS.find((tool) => tool.id === id)!

it('callTool with an empty context runs a tool that needs no permission', async () => {
  expect(await callTool(says, {}, {})).toEqual({
    content: 'program program says no model 0 60000 false',
    isError: false,
  })
  expect(await callTool(named('calculator'), { expression: '6*7' }, {})).toMatchObject({ content: '42' })
})

it('callTool with an empty context denies every tool that asks for permission', async () => {
  const no = '(nobody can be asked: the caller gave no permission provider)'
  expect(await callTool(keeps, { note: 'milk' }, {})).toEqual({
    content: `ERROR: Permission denied: use keeps {"note":"milk"}? ${no}`,
    isError: true,
  })
  expect((await callTool(named('run_command'), { command: 'ls' }, {})).content).toBe(
    `ERROR: Permission denied: run 'ls'? ${no}`,
  )
})

it('callTool gives an error result for every workspace tool without arguments', async () => {
  for (const tool of WORKSPACE_TOOLS) {
    expect(await callTool(tool, {}, {}), tool.id).toMatchObject({ isError: true })
    expect(await callTool(tool), tool.id).toMatchObject({ isError: true })
  }
})

it('callTool with an empty context reports that there are no files', async () => {
  expect((await callTool(named('read_file'), { file_path: 'a' }, {})).content).toBe(
    'ERROR: read_file: this program gives its tools no files and no commands',
  )
})

it('callTool uses the given parts of a context', async () => {
  const permissions: ToolContext['permissions'] = { request: async () => 'allow' }
  expect(await callTool(keeps, { note: 'tea' }, { permissions })).toMatchObject({ content: 'kept tea' })
  const signal = AbortSignal.abort()
  expect((await callTool(says, {}, { signal })).content).toMatch(/ true$/)
})

it('callTool calls the methods of a context that is a class instance', async () => {
  const told: string[] = []
  class Mine {
    readonly told = told
    async addMessage(entry: Parameters<ToolContext['addMessage']>[0]) {
      this.told.push(entry.text)
      return await createContext().addMessage(entry)
    }
  }
  await callTool(says, {}, new Mine())
  expect(told).toEqual(['x'])
})

it('createContext makes a context from caller, room, chat and addMessage', async () => {
  const told: string[] = []
  const context = createContext({
    caller: 'me',
    room: 'shop',
    chat: { model: 'qwen', messages: [{ role: 'user', text: 'hi' }] },
    addMessage: ({ text }) => void told.push(text),
  })
  expect((await callTool(says, {}, context)).content).toBe('me shop says qwen 1 60000 false')
  expect(told).toEqual(['x'])
})

it("a context with only a model's name gives a tool that asks it an error with advice", async () => {
  const { chat } = createContext({ chat: { model: 'qwen' } })
  await expect(chat.model?.ask([{ role: 'user', text: 'hi' }])).rejects.toThrow(
    'this program gives its tools only the name of the model; as chat.model it may give { name, ask }',
  )
})

it('a context lets a tool ask the model that a program wrote', async () => {
  const model = { name: 'echo', ask: async (said: readonly object[]) => ({ text: JSON.stringify(said) }) }
  const { chat } = createContext({ chat: { model } })
  expect(String(chat.model)).toBe('echo')
  expect(await chat.model?.ask([{ role: 'user', text: 'hi' }])).toEqual({
    text: '[{"role":"user","text":"hi"}]',
  })
})
