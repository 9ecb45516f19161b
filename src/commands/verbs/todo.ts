import type { RoomStore } from '../../chat/ports.ts'
import { readTodo, TODO_KEY, todoText } from '../../chat/todo.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

/** The list that models keep with todo_write. */
export const todoCommand = (rooms: Pick<RoomStore, 'getValue'>): Command =>
  defineCommand({
    name: 'todo',
    summary: "the room's todo list, which models keep",
    room: 'here',
    flags: [JSON_FLAG],
    example: '',
    needsVoice: () => false,
    async run({ room, flags, out }) {
      const items = readTodo(await rooms.getValue(room.name, TODO_KEY))
      if (flags.json) return out.line(safeJson({ room: room.name, todo: items }))
      out.line(todoText(items))
    },
  })
