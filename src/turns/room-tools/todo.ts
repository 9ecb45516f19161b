import { z } from 'zod'
import { defineTool, type Tool } from '../../tools/index.ts'
import { type RoomStore, readTodo, TODO_KEY, TODO_STATUSES, todoText } from '../../chat/index.ts'
import { oneLine } from '../../chat/text/index.ts'
import { ok } from '../../tools/results/index.ts'

type TodoStore = Pick<RoomStore, 'getValue' | 'setValue'>

const MAX_ITEM_CHARS = 500

const item = z.object({
  content: z.string().min(1).describe('What to do.'),
  status: z.enum(TODO_STATUSES).default('pending').describe('Its state.'),
})

const todoWrite = (store: TodoStore): Tool =>
  defineTool({
    id: 'todo_write',
    title: 'Write Todo List',
    description: "Replaces the room's todo list, which all see. Give all of it; at most one in_progress.",
    access: 'read',
    input: z.strictObject({ todos: z.array(item).max(100).describe('In order.') }),
    run: async ({ todos }, context) => {
      const items = todos.map((one) => ({ ...one, content: oneLine(one.content, MAX_ITEM_CHARS) }))
      await store.setValue(context.room, TODO_KEY, items.length > 0 ? items : undefined)
      return ok(todoText(items))
    },
  })

const todoRead = (store: TodoStore): Tool =>
  defineTool({
    id: 'todo_read',
    title: 'Read Todo List',
    description: "Reads the room's todo list.",
    access: 'read',
    input: z.strictObject({}),
    run: async (_, context) => ok(todoText(readTodo(await store.getValue(context.room, TODO_KEY)))),
  })

export const todoTools = (store: TodoStore): readonly Tool[] => [todoWrite(store), todoRead(store)]
