import { expect, test } from 'vitest'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import { zoneOf } from '../../../../src/base/zone.ts'

/** Noon of Thursday, the first of January 2026. */
const TO_NOON_MS = 12 * 3_600_000

async function worldAtNoon() {
  const world = await createCommandWorld()
  world.turnWorld.chatParts.clock.advance(TO_NOON_MS)
  return world
}

const UTC_SAID = 'times are UTC: /set timezone changes that'
const LIMITS = '[--tools PATTERNS] [--tokens N] [--runs N] [--until DATE]'

test('/remind prints the number, the time with its zone, and how to end the reminder', async () => {
  await using world = await worldAtNoon()
  expect(await world.type(world.bob, 'remind 10m the tea is ready')).toEqual(
    done(`reminder 1 rings 2026-01-01 12:10 UTC (in 10m); /routines - end 1 ends it; ${UTC_SAID}`),
  )
  expect(await world.exec(world.bob, 'remind --room hall mon 9:00 hello all')).toEqual(
    done(
      'routine 1 of hall runs next 2026-01-05 09:00 UTC (in 3d 21h); routines hall end 1 ends it; times are UTC: set timezone changes that',
    ),
  )
  expect(await world.texts('hall')).toEqual(['bob made routine 1: 2026-01-05 09:00 UTC: hello all'])
  const elsewhere = await world.type(world.bob, 'remind --room lobby tomorrow 9:00 hello all')
  expect(elsewhere.out[0]).toContain('; /routines end 1 there ends it')
})

test('/remind reads times in the zone of the session, or of /set timezone in a script', async () => {
  await using world = await worldAtNoon()
  const { rooms } = world.turnWorld.chatParts
  const { caller, told } = sessionIn(await rooms.get('hall', world.bob), world.bob, zoneOf('Europe/Berlin'))
  await world.runner.command('remind 18:30 tea', caller)
  expect(told.out).toEqual([
    'reminder 1 rings 2026-01-01 18:30 Europe/Berlin (in 5h 30m); /routines - end 1 ends it',
  ])
  await world.preferences.set(world.bob, 'timezone', 'Asia/Tokyo')
  const script = await world.exec(world.bob, 'remind 22:00 sleep')
  expect(script.out[0]).toMatch(/^reminder 2 rings 2026-01-01 22:00 Asia\/Tokyo \(in 1h\); routines - end 2/)
})

test('the error for a wrong time lists the valid forms and suggests the closest word', async () => {
  await using world = await worldAtNoon()
  const { status, err } = await world.type(world.bob, 'remind tomorow 9:00 tea')
  expect([status, err[0]]).toEqual([
    2,
    '"tomorow" is no time: write 10m, 2h, 18:30, tomorrow 9:00, mon 9:00 or 2026-12-01 09:00; did you mean tomorrow?',
  ])
  expect(await world.type(world.bob, 'remind tomorrow 9:00')).toEqual(
    misused('remind: TEXT is missing: what to say then', `/remind [--room ROOM] ${LIMITS} WHEN TEXT…`),
  )
  expect((await world.type(world.bob, 'every dayly 09:00 tea')).err[0]).toContain('did you mean daily?')
  expect((await world.type(world.bob, 'every day 09:00')).err[0]).toBe(
    'every: TEXT is missing: what to say each time',
  )
  expect((await world.type(world.bob, 'every --runs none 1h tea')).err[0]).toBe(
    'every: --runs takes a whole number, such as --runs 5',
  )
})

test('/remind again needs a reminder that has rung', async () => {
  await using world = await worldAtNoon()
  const again = await world.type(world.bob, 'remind again 10m')
  expect(again).toEqual(refused('no reminder has rung for you yet; /remind 10m TEXT makes one'))
  const { status, err } = await world.type(world.bob, 'remind again 10m tea')
  expect([status, err[0]]).toEqual([
    2,
    'remind: again takes a time alone: the text is that of the last reminder',
  ])
})

test('/every accepts tools, tokens, a number of runs and a last day, and /routines shows them', async () => {
  await using world = await worldAtNoon()
  const options = '--tools Grap --tokens 5000 --runs 3 --until 2026-12-24'
  expect((await world.type(world.bob, `every ${options} 10m @qwen sum up`)).err).toEqual([
    'Grap matches no tool',
  ])
  await world.type(world.bob, `every ${options.replace('Grap', 'off')} 10m @qwen sum up`)
  expect(await world.type(world.bob, 'routines')).toEqual(
    done(
      '1  every 10m: @qwen sum up',
      '   bob; next 2026-01-01 12:10 UTC; 0 of 5000 tokens today; tools: none; 3 runs left; until 2026-12-24 23:59 UTC',
    ),
  )
  expect(jsonOf(await world.exec(world.bob, 'routines hall --json'))).toEqual([
    {
      ...{ number: 1, room: 'hall', kind: 'calendar', person: 'bob', text: '@qwen sum up' },
      ...{ condition: 'every 10m', scope: [], zone: 'UTC' },
      ...{ next_run: '2026-01-01T12:10:00.000Z', last_run: null, outcome: null },
      ...{ tokens_today: 0, tokens_per_day: 5000, runs_left: 3, until: '2026-12-25T00:00:00.000Z' },
      ...{ state: 'active', reason: '' },
    },
  ])
})

test('/watch splits its line into the phrase, the model and the question', async () => {
  await using world = await worldAtNoon()
  const { type, ann, bob } = world
  expect(await type(ann, 'watch mail to @bob @qwen, what broke?')).toEqual(
    done('routine 1 of hall: a line with "mail to @bob", for @qwen; /routines end 1 ends it'),
  )
  await type(ann, 'watch --regex --once 10m --programs disk (full|gone) @qwen why?')
  expect(jsonOf(await type(ann, 'routines --json'))).toMatchObject([
    { number: 1, kind: 'line', text: 'what broke?' },
    {
      condition: 'a line with /disk (full|gone)/, at most once in 10m, programs too, for @qwen',
      text: 'why?',
    },
  ])
  const problem = async (line: string) => (await type(ann, line)).err[0]
  expect(await problem('watch disk @qwne why?')).toBe('there is no model called @qwne; did you mean @qwen?')
  expect(await problem('watch disk full')).toBe('watch: a model is missing: WORDS @MODEL TEXT')
  expect(await problem('watch @qwen why?')).toBe('watch: the words to look for are missing before the model')
  expect(await problem('watch disk @qwen')).toBe('watch: what @qwen is asked is missing behind it')
  expect(await problem('watch --once often disk @qwen why?')).toBe(
    'watch: --once takes a time, such as --once 10m',
  )
  expect(await problem('watch --regex disk (full @qwen why?')).toMatch(
    /^that is no regular expression \(RE2\)/,
  )
  expect(await type(bob, 'watch disk @qwen why?')).toEqual(
    refused(
      'only ops, the owner of the room and admins may use watch with a model here ([routines] allow.watch)',
    ),
  )
})

test('/listen begins, changes, shows and ends the listening of one model', async () => {
  await using world = await worldAtNoon()
  const { type, ann } = world
  expect(await type(ann, 'listen')).toEqual(done('no model listens in hall; /listen @MODEL lets one'))
  expect(await type(ann, 'listen @qwen')).toEqual(
    done(
      'routine 1 of hall: @qwen answers follow-ups, and each line while one or two people are in the room; /routines end 1 ends it',
    ),
  )
  await type(ann, 'listen qwen --all')
  expect(await type(ann, 'listen')).toEqual(
    done('@qwen answers each line (routine 2 of ann); /listen off ends it'),
  )
  expect(await world.exec(ann, 'listen hall off @qwen')).toEqual(done('@qwen listens no more'))
  expect(await type(ann, 'listen off')).toEqual(refused('no model listens in hall'))
  expect(await type(ann, 'listen @qwne')).toEqual(
    refused('there is no model called @qwne; did you mean @qwen?'),
  )
})

test('a routine is paused, resumed and ended only by its person and the owner of the room', async () => {
  await using world = await worldAtNoon()
  const { type, ann, bob, root } = world
  await type(bob, 'every day 09:00 tea')
  await type(ann, 'every day 10:00 lunch')
  expect(await world.exec(bob, 'routines hall pause 1')).toEqual(done('routine 1 of hall is paused'))
  expect((await type(bob, 'routines')).out[1]).toBe('   bob; paused: bob paused it')
  expect(await type(bob, 'routines resume 1')).toEqual(done())
  const why = 'only its person, ops, the owner of the room and admins can change routine 2'
  expect(await type(bob, 'routines end 2')).toEqual(refused(why))
  expect((await type(ann, 'routines end 1')).status).toBe(0)
  expect((await type(root, 'routines end 2')).status).toBe(0)
  expect(await type(bob, 'routines')).toEqual(done('nothing runs by itself in hall'))
  expect(await type(bob, 'routines end 2')).toEqual(
    refused('there is no routine 2 here; /routines lists them'),
  )
  expect((await type(bob, 'routines end')).err[0]).toBe('routines: end takes a number of /routines')
})

test('/routines - lists own routines, and for admins all without texts of private rooms', async () => {
  await using world = await worldAtNoon()
  const { type, ann, bob, root } = world
  await type(bob, 'remind 10m tea')
  await type(bob, 'every day 09:00 hello')
  await type(ann, 'watch secret word @qwen why?', 'den')
  expect((await type(bob, 'routines')).out.at(-1)).toBe('you have 1 reminder: /routines - lists them')
  expect(await type(bob, 'routines -')).toEqual(
    done(
      ...['- 1  2026-01-01 12:10 UTC: tea', '   bob; next 2026-01-01 12:10 UTC'],
      ...['hall 1  day 09:00 UTC: hello', '   bob; next 2026-01-02 09:00 UTC'],
    ),
  )
  const seen = await type(root, 'routines -')
  expect(seen.out).toEqual([
    ...['? 1  once, where you may not read', '   bob; next 2026-01-01 12:10 UTC'],
    ...['? 1  line, where you may not read', '   ann'],
    ...['hall 1  day 09:00 UTC: hello', '   bob; next 2026-01-02 09:00 UTC'],
  ])
  expect((await type(root, 'routines - --json')).out[0]).not.toMatch(/secret|den/)
  expect(await type(bob, 'routines - end 1')).toEqual(done('reminder 1 has ended'))
})

test('on an open server only admins can make routines that ask a model', async () => {
  await using world = await worldAtNoon()
  const { type, ann, root, guest, routinePolicy } = world
  routinePolicy.isOpen = true
  const why = 'only admins may use every with a model here ([routines] allow.every)'
  expect(await type(ann, 'every 1h @qwen sum up')).toEqual(refused(why))
  expect((await type(ann, 'every 1h take a walk')).status).toBe(0)
  expect((await type(root, 'every 1h @qwen sum up')).status).toBe(0)
  expect((await type(guest, 'remind 10m tea')).err).toEqual([
    'a guest has no routines; log in with a name of your own',
  ])
  routinePolicy.enabled = false
  expect((await type(root, 'remind 10m tea')).status).toBe(1)
})

test('/purge counts and removes the routines of a person who has posted no line', async () => {
  await using world = await worldAtNoon()
  const { type, exec, bob, root, shownRoutines } = world
  const none = refused('nothing is stored that bob said')
  expect(await exec(root, 'purge bob')).toEqual(none)
  await type(bob, 'remind 10m tea')
  await type(bob, 'every day 09:00 hello', 'lobby')
  expect((await exec(root, 'purge bob')).err).toEqual([
    'this removes 1 line of bob in 1 room, and 2 routines, for good; to do it: purge bob --yes',
  ])
  let changes = 0
  shownRoutines.onChange(() => changes++)
  expect((await exec(root, 'purge bob --yes')).out[0]).toBe('removed 1 line of bob in 1 room, and 2 routines')
  expect(changes).toBe(1)
  expect(await type(bob, 'routines -')).toEqual(done('nothing runs by itself'))
  expect(await exec(root, 'purge bob')).toEqual(none)
  await type(bob, 'say hello')
  await type(bob, 'remind 10m tea')
  await type(bob, 'every day 09:00 a secret', 'lobby')
  expect((await exec(root, 'purge bob --yes')).out[0]).toBe(
    'removed 2 lines of bob in 2 rooms, and 2 routines',
  )
  expect((await exec(root, 'export lobby')).out.join('\n')).not.toContain('a secret')
  await type(bob, 'remember --me I like tea')
  expect((await exec(root, 'purge bob --yes')).out[0]).toBe(
    'removed the private messages, notes and drafts of bob',
  )
  expect(await exec(root, 'purge bob')).toEqual(none)
})
