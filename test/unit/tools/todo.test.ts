import { expect, it } from 'vitest'
import { todoTools } from '../../../src/turns/room-tools/todo.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { openInMemory } from '../../support/storage.ts'
import { contextFor } from './context.ts'

const context = contextFor({} as ToolContext['workspace'])

async function list() {
  const { rooms } = (await openInMemory()).chat
  await rooms.create({ name: context.room, topic: '', vibe: '', private: false, owner: null, createdAt: 0 })
  const [write, read] = todoTools(rooms)
  return {
    rooms,
    write: async (args: unknown) => (await write!.run(args, context)).content,
    read: async () => (await read!.run({}, context)).content,
  }
}

it('todo_write replaces the whole list, and todo_read shows a mark for each status', async () => {
  const { write, read, rooms } = await list()
  expect(await read()).toBe('The todo list is empty.')
  const todos = [
    { content: 'plan', status: 'completed' },
    { content: 'two\nlines \u001b[1m', status: 'in_progress', activeForm: 'ignored' },
    { content: 'rest' },
  ]
  expect(await write({ todos })).toMatch(/^\[x\] plan\n\[~\] two lines\n\[ \] rest$/)
  expect(await read()).toMatch(/^\[x\] plan\n/)
  expect(await rooms.getValue(context.room, 'todo')).toContainEqual({ content: 'rest', status: 'pending' })
  expect(await write({ todos: [] })).toBe('The todo list is empty.')
  expect(await rooms.getValue(context.room, 'todo')).toBeUndefined()
})

it('todo_read shows an invalid stored list as empty', async () => {
  const { rooms, read } = await list()
  await rooms.setValue(context.room, 'todo', { not: 'a list' })
  expect(await read()).toBe('The todo list is empty.')
})

it.each([
  [{}, 'todos is required (an array of objects)'],
  [{ todos: [{ status: 'pending' }] }, 'todos[0].content is required (a string)'],
  [
    { todos: [{ content: 'x', status: 'done' }] },
    `todos[0].status must be one of 'pending', 'in_progress', 'completed', got "done"`,
  ],
  [{ todos: Array.from({ length: 101 }, () => ({ content: 'x' })) }, 'todos must be at most 100 items long'],
  [{ todos: [{ content: 'x'.repeat(501) }] }, 'that is too long: 500 characters are allowed'],
])('todo_write refuses %j', async (args, message) => {
  const { write, read } = await list()
  expect(await write(args)).toContain(`ERROR: todo_write: ${message}`)
  expect(await read()).toBe('The todo list is empty.')
})
