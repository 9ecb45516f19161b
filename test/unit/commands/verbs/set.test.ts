import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

test('an option is set, shown, and kept for the person alone', async () => {
  await using world = await createCommandWorld()
  const { ann, bob, preferences } = world
  expect(await world.type(ann, 'set bell off')).toEqual(done('bell is off'))
  expect(await world.type(ann, 'set bell on')).toEqual(done('bell is mention'))
  expect((await world.type(ann, 'set theme on')).status).toBe(1)
  expect(await world.type(ann, 'set bell off')).toEqual(done('bell is off'))
  expect(await world.exec(ann, 'set TIMESTAMPS Full')).toEqual(done('timestamps is full'))
  expect(await preferences.of(ann)).toEqual({ bell: 'off', timestamps: 'full' })
  expect(await preferences.of(bob)).toEqual({})
  const [line = ''] = (await world.type(ann, 'set bell')).out
  expect(line).toMatch(/^bell off \(or mention, all\): when /)
  const list = (await world.type(bob, 'set')).out.join('\n')
  expect(list).toMatch(/^bell mention \(or off, all\)/)
  for (const option of ['timestamps minutes', 'theme auto', 'plain off', 'color auto'])
    expect(list).toContain(`\n${option} (or `)
})

test('what is no option and no value is refused with what there is, and nothing changes', async () => {
  await using world = await createCommandWorld()
  const { ann } = world
  const options = 'bell, timestamps, theme, plain, color, history'
  expect(await world.type(ann, 'set colour green')).toEqual(
    refused(`there is no option colour; did you mean color? Choose from ${options}`),
  )
  expect(await world.type(ann, 'set __proto__ on')).toEqual(
    refused(`there is no option __proto__; choose from ${options}`),
  )
  expect(await world.type(ann, 'set theme drak')).toEqual(
    refused(
      'theme cannot be drak; did you mean dark? Choose from auto, dark, light, mono. Nothing was changed',
    ),
  )
  expect(await world.preferences.of(ann)).toEqual({})
})

test('a guest has options until they leave, and is told so', async () => {
  await using world = await createCommandWorld()
  const { guest, preferences } = world
  expect(await world.exec(guest, 'set bell all')).toEqual(
    refused('a guest has nothing to keep it for: a session must be open'),
  )
  const session = await preferences.open(guest)
  expect(await world.type(guest, 'set bell all')).toEqual(
    done('bell is all until you leave: guests keep nothing'),
  )
  expect(session.now()).toEqual({ bell: 'all' })
  session.close()
  expect(await preferences.of(guest)).toEqual({})
})
