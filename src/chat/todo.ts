import { cleanLine } from '../lib/text/clean-text.ts'
import { isJsonObject, type Json } from '../lib/json.ts'

/** The room key-value that holds the room's todo list. */
export const TODO_KEY = 'todo'

/** How far an item is. */
export const TODO_STATUSES = ['pending', 'in_progress', 'completed'] as const

/** One thing to do, on one line. */
export interface TodoItem {
  readonly content: string
  readonly status: (typeof TODO_STATUSES)[number]
}

/** The list that a room's key-value holds. Anybody who manages the room can set it: what is no item is left out. */
export function readTodo(value: Json | undefined): readonly TodoItem[] {
  const items: readonly Json[] = Array.isArray(value) ? value : []
  return items.filter(isJsonObject).flatMap(({ content, status }) => {
    const known = TODO_STATUSES.find((one) => one === status)
    return typeof content === 'string' && known ? [{ content: cleanLine(content), status: known }] : []
  })
}

/** A line an item, with its mark: `[ ]`, `[~]` under way, `[x]` done. */
export const todoText = (items: readonly TodoItem[]): string =>
  items.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n') || 'The todo list is empty.'

const MARKS: Readonly<Record<TodoItem['status'], string>> = {
  pending: '[ ]',
  in_progress: '[~]',
  completed: '[x]',
}
