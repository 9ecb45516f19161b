import { expect, test } from 'vitest'
import { TODO_KEY, todoText } from '../../../../src/chat/todo.ts'
import { createCommandWorld, done } from '../../../support/commands/command-world.ts'

test("/todo shows the room's list, and none for what is no list", async () => {
  await using world = await createCommandWorld()
  const { storage, rooms } = world.turnWorld.chatParts
  const { name } = await rooms.get('hall', world.ann)
  expect(await world.type(world.bob, 'todo')).toEqual(done(todoText([])))
  const todo = [{ content: 'write it down', status: 'pending' }]
  await storage.chat.rooms.setValue(name, TODO_KEY, todo)
  expect((await world.type(world.bob, 'todo')).out[0]).toContain('write it down')
  expect(await world.exec(world.bob, 'todo hall --json')).toEqual(
    done(JSON.stringify({ room: 'hall', todo })),
  )
  for (const value of ['x', 1, { a: 1 }, [{ status: 'pending' }, null]]) {
    await storage.chat.rooms.setValue(name, TODO_KEY, value)
    expect(await world.type(world.bob, 'todo')).toEqual(done(todoText([])))
  }
})
