import { expect, test } from 'vitest'
import { createHookScripts } from '../../../src/prompt/hooks.ts'
import type { RoomName } from '../../../src/chat/entry.ts'
import { openInMemory, room } from '../../support/storage.ts'

const lobby = 'lobby' as RoomName
const scriptWith = (source: string) => ({ room: lobby, source, author: 'ann', at: 0 })

/** Scripts over a real store that counts how often one is read, and can be kept waiting. */
async function startScripts() {
  const storage = await openInMemory()
  await storage.chat.rooms.create(room('lobby', {}))
  let reads = 0
  let beforeAnswer: () => Promise<unknown> = async () => undefined
  const scripts = createHookScripts({
    ...storage.prompts.scripts,
    async current(name) {
      reads++
      const script = await storage.prompts.scripts.current(name)
      await beforeAnswer()
      return script
    },
  })
  return {
    rooms: storage.chat.rooms,
    scripts,
    reads: () => reads,
    whileReading: (work: () => Promise<unknown>) => void (beforeAnswer = work),
  }
}

test('a room without a script is asked once, and again when it gets one', async () => {
  const { scripts, reads } = await startScripts()
  for (let time = 0; time < 9; time++) expect(await scripts.withHook(lobby, 'on_message')).toBe(undefined)
  expect(await scripts.withHook(lobby, 'after_turn')).toBe(undefined)
  expect(reads()).toBe(1)
  await scripts.put(scriptWith('function on_message() end'))
  expect(await scripts.withHook(lobby, 'on_message')).toMatchObject({ version: 1 })
  expect(await scripts.withHook(lobby, 'before_tool_call')).toBe(undefined)
  expect(reads()).toBe(2)
  await scripts.put(scriptWith(''))
  expect(await scripts.withHook(lobby, 'on_message')).toBe(undefined)
})

test('a room that gets the script of another by a fork has its hooks', async () => {
  const { scripts, rooms } = await startScripts()
  await scripts.put(scriptWith('function on_message() end'))
  await rooms.fork(lobby, room('den', {}))
  expect(await scripts.withHook('den' as RoomName, 'on_message')).toMatchObject({ version: 1 })
})

test('what was read while a new script was stored is not kept', async () => {
  const { scripts, whileReading } = await startScripts()
  let isFirst = true
  whileReading(async () => {
    if (!isFirst) return
    isFirst = false
    await scripts.put(scriptWith('function on_message() end'))
  })
  expect(await scripts.withHook(lobby, 'on_message')).toBe(undefined)
  expect(await scripts.withHook(lobby, 'on_message')).toMatchObject({ version: 1 })
})
