import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createCommandWorld, misused, refused } from '../../../support/commands/command-world.ts'

test("/delete is asked twice: within a minute, or with the room's name", async () => {
  await using world = await createCommandWorld()
  const { clock } = world.turnWorld.chatParts
  const asks = { status: 1, err: [expect.stringContaining('this deletes hall') as string] }
  expect(await world.type(world.ann, 'delete')).toMatchObject(asks)
  clock.advance(60_000)
  expect(await world.type(world.ann, 'delete')).toMatchObject(asks)
  expect(await world.exec(world.root, 'delete hall hall')).toMatchObject(asks)
  clock.advance(600_000)
  expect(await world.exec(world.ann, 'delete hall den')).toEqual(
    misused('delete: this room is called hall, not den', 'delete ROOM [NAME]'),
  )
  expect(await world.exec(world.ann, 'delete hall hall')).toMatchObject({ status: 0 })
  expect(readdirSync(`${world.dataDir}/exports`)).toEqual([expect.stringMatching(/^hall-.*\.jsonl$/)])
  expect(await world.exec(world.ann, 'say hall x')).toEqual(
    refused('there is no room called hall; see rooms, or make it with create'),
  )
})

test('/delete leaves the room as it was where all that was said cannot be kept', async () => {
  await using world = await createCommandWorld()
  const { storage } = world.turnWorld.chatParts
  const { read } = storage.chat.log
  await world.exec(world.ann, 'say hall hello')
  await world.exec(world.ann, 'delete hall')
  Object.assign(storage.chat.log, { read: () => Promise.reject(new Error('the disk is full')) })
  expect(await world.exec(world.ann, 'delete hall')).toEqual(
    refused('hall was not deleted: the disk is full'),
  )
  Object.assign(storage.chat.log, { read })
  expect(readdirSync(`${world.dataDir}/exports`)).toEqual([])
  expect(await world.exec(world.bob, 'say hall still here')).toMatchObject({ status: 0 })
})

test('/delete is for the owner and admins who see the room, and the lobby stays', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  expect(await world.exec(world.bob, 'delete hall')).toEqual(
    refused('only the owner of hall or an admin can delete it'),
  )
  expect(await world.exec(world.root, 'delete den')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.exec(world.root, 'delete lobby')).toEqual(
    refused("the lobby is everybody's; nobody can delete it"),
  )
})
