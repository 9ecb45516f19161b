import { describe, expect, it } from 'vitest'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, SECRET_KEY } from '../../support/turn-world.ts'

describe('a model', () => {
  it('reads who is here, the room, and nothing of another room', async () => {
    const model = scriptedModel(say('ok'))
    await using world = await createTurnWorld(model, { more: [anotherModel('llama')] })
    const bob = await world.chatParts.person('bob')
    const attic = await world.chatParts.rooms.create('attic', bob, { private: true })
    await attic.record({ kind: 'message', author: 'bob', text: 'the treasure is under the stairs' })
    await world.room.enter({ person: world.ann, deliver() {} })
    await world.chatParts.storage.chat.rooms.update(world.room.name, { topic: 'gardens' })
    await world.ask()
    const snapshot = world.composer.snapshots.at(-1)!
    expect(snapshot.room).toMatchObject({ name: 'lobby', topic: 'gardens' })
    expect(snapshot.user).toEqual({ name: 'ann', role: 'member' })
    expect(snapshot.present).toEqual([
      { name: 'ann', kind: 'person', role: 'member' },
      { name: 'qwen', kind: 'model', role: 'model' },
      { name: 'llama', kind: 'model', role: 'model' },
    ])
    expect(JSON.stringify(model.requests[0])).not.toContain('treasure')
    expect(JSON.stringify(snapshot)).not.toContain(SECRET_KEY)
  })
})
