import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../../src/base/amounts.ts'
import type { RoomName } from '../../../../src/words/entry.ts'
import type { Person } from '../../../../src/words/person.ts'
import { createCommandWorld, type CommandWorld } from '../../../support/commands/command-world.ts'
import { addRoutines } from '../../../support/routine-world.ts'

/**
 * After the event and an hour: how the routine is, its room and who says its line; `gone` without a routine.
 */
type Outcome = 'gone' | { readonly state: string; readonly room: string; readonly says?: string }

/** What befalls ann's hourly routine in her room `hall`: who runs which command. */
const EVENTS: readonly (readonly [string, 'ann' | 'root', string, Outcome])[] = [
  ['its room is archived', 'ann', 'archive hall', { state: 'paused', room: 'hall' }],
  ['its room is renamed', 'ann', 'rename-room hall foyer', { state: 'active', room: 'foyer', says: 'ann' }],
  ['its person is renamed', 'ann', 'rename anna', { state: 'active', room: 'hall', says: 'anna' }],
  ['its room is deleted', 'ann', 'delete hall hall', 'gone'],
  ['its person is banned from the server', 'root', 'ban ann', { state: 'paused', room: 'hall' }],
  ['what its person said is purged', 'root', 'purge ann --yes', 'gone'],
  [
    'its room keeps lines for a day',
    'ann',
    'keep hall 1d --yes',
    { state: 'active', room: 'hall', says: 'ann' },
  ],
  ['its room is exported', 'ann', 'export hall', { state: 'active', room: 'hall', says: 'ann' }],
  ['its room is forked', 'ann', 'fork hall loft', { state: 'active', room: 'hall', says: 'ann' }],
]

async function openHall() {
  const commands = await createCommandWorld()
  const routines = await addRoutines(commands.turnWorld)
  const { rooms } = commands.turnWorld.chatParts
  const hall = await rooms.get('hall', commands.ann)
  routines.engine.start()
  const condition = { kind: 'calendar', spec: { every: 'interval', ms: HOUR_MS } } as const
  await hall.record({ kind: 'message', author: 'ann', by: commands.ann.id, text: 'hello' })
  const made = await routines.make({ room: hall, text: 'take a walk', condition }, commands.ann)
  const reread = async () => await routines.storage.models.routines.byId(made.id)
  return { commands, routines, rooms, made, reread }
}

const byName = (world: CommandWorld, name: 'ann' | 'root'): Person => world[name]

test.each(EVENTS)(
  'an hourly routine continues, pauses or ends as expected when %s',
  async (_event, who, line, outcome) => {
    const { commands, routines, rooms, reread } = await openHall()
    await using _ = routines
    const { status } = await commands.exec(byName(commands, who), line)
    expect(status).toBe(0)
    routines.clock.advance(HOUR_MS)
    if (outcome === 'gone') return expect(await reread()).toBeUndefined()
    await expect.poll(async () => (await reread())?.outcome).toBe(outcome.says ? 'done' : 'paused')
    expect(await reread()).toMatchObject({ state: outcome.state, room: outcome.room })
    const room = await rooms.anyRoom(outcome.room as RoomName)
    const said = (await room?.history({ limit: 99, kinds: ['message'] })) ?? []
    const lines = said.filter(({ text }) => text === 'take a walk')
    expect(lines.map(({ author }) => author)).toEqual(outcome.says ? [outcome.says] : [])
  },
)

test('a fork has no routines, and says so if its source has any', async () => {
  const { commands, routines } = await openHall()
  await using _ = routines
  const { out } = await commands.exec(commands.ann, 'fork hall loft')
  expect(out.join('\n')).toContain('the routines of hall stay there: none was copied')
  expect(await routines.storage.models.routines.list({ room: 'loft' as RoomName })).toEqual([])
  expect((await commands.exec(commands.ann, 'fork loft nook')).out.join('\n')).not.toContain('routines')
})

test('an export has the entries of routines', async () => {
  const { commands, routines } = await openHall()
  await using _ = routines
  const { out } = await commands.exec(commands.ann, 'export hall --json')
  expect(out.join('\n')).toMatch(/"kind":"routine".*made routine 1/)
})
