import { describe, expect, test } from 'vitest'
import { Refusal, StorageError, UsageError } from '../../../src/chat/errors.ts'
import { createByteQuota, createRateLimiter } from '../../../src/chat/limits.ts'
import { Runner } from '../../../src/commands/runner.ts'
import { Speech } from '../../../src/commands/speech.ts'
import { recordOutput, sessionIn } from '../../support/commands/caller.ts'
import { createCommandWorld, done, misused, refused } from '../../support/commands/command-world.ts'
import { defineCommand } from '../../../src/commands/command.ts'

/** A runner of one command that does this. */
async function createScene(
  run: () => Promise<void | false>,
  upToDate: () => Promise<void> | undefined = () => undefined,
) {
  const world = await createCommandWorld()
  const { chatParts, turns, room } = world.turnWorld
  const { rooms, clock, log, sanctions } = chatParts
  const runner = new Runner({
    commands: [
      defineCommand({ name: 'do', summary: '', run }),
      defineCommand({ name: 'end', allowedWhenCutOff: true, summary: '', run }),
      defineCommand({ name: 'guard', allowedOverQuota: true, summary: '', run }),
      defineCommand({ name: 'beside', summary: '', run: async ({ inBackground }) => inBackground(run()) }),
    ],
    speech: new Speech(
      turns,
      { message_chars: 100, paste_bytes: 100, message_lines: 10 },
      world.talk.away,
      world.talk.findPerson,
      world.approvals,
    ),
    pace: createRateLimiter({ limits: { rate_burst: 2, rate_per_s: 0.1 }, clock, wait: async () => {} }),
    bytes: createByteQuota({ bytes_per_person_day: 100 }, clock),
    rooms,
    sanctions,
    upToDate,
    log,
  })
  return { world, runner, log, bob: sessionIn(room, world.bob) }
}

const WENT_WRONG = 'something went wrong on the server; it was logged'

describe('the status and the words of a command', () => {
  test.each([
    ['that did it', async () => {}, { status: 0, err: [] }],
    ['that did not succeed', async () => false as const, { status: 1, err: [] }],
    ['that was refused', () => Promise.reject(new Refusal('no')), { status: 1, err: ['no'] }],
    [
      'whose words do not fit',
      () => Promise.reject(new UsageError('do: bad', 'do WELL')),
      { status: 2, err: ['do: bad', 'usage: do WELL'] },
    ],
    [
      'that the store refused',
      () => Promise.reject(new StorageError('full', 'the disk is full')),
      { status: 1, err: ['not stored: the disk is full'] },
    ],
    [
      'that the store has words for operators about',
      () => Promise.reject(new StorageError('away', 'it is away', { forOperators: 'start it' })),
      { status: 1, err: ['not stored: it is away'] },
    ],
    [
      'that the store could not read for',
      () => Promise.reject(new StorageError('other', 'the disk failed', { reading: true })),
      { status: 1, err: ['not read: the disk failed'] },
    ],
    [
      'with a bug',
      () => Promise.reject(new TypeError('x is not a function')),
      { status: 1, err: [WENT_WRONG] },
    ],
    [
      'with a bug that throws at once',
      () => {
        throw new TypeError('x is not a function')
      },
      { status: 1, err: [WENT_WRONG] },
    ],
  ])('%s', async (_title, run, expected) => {
    const { world, runner, bob } = await createScene(run)
    await using _ = world
    expect({ status: await runner.command('do', bob.caller), err: bob.told.err }).toEqual(expected)
  })

  test('have for an admin what those can do who run the server', async () => {
    const { world, runner, bob } = await createScene(() =>
      Promise.reject(new StorageError('away', 'it is away', { forOperators: 'start it' })),
    )
    await using _ = world
    const { caller } = bob
    await runner.command('do', { ...caller, person: { ...caller.person, admin: true } })
    expect(bob.told.err).toEqual(['not stored: start it'])
  })

  test('are told in the same words when it goes on in the background, which fails nothing', async () => {
    const { world, runner, bob, log } = await createScene(() => Promise.reject(new TypeError('a bug')))
    await using _ = world
    const told = bob.next()
    expect(await runner.command('beside', bob.caller)).toBe(0)
    expect(await told).toBe(WENT_WRONG)
    expect(log.lines).toContain('a command threw')
  })
})

describe('a line that is no command', () => {
  test.each([
    ['', 'which command? /help lists them', 'which command? help lists them'],
    ['jion hall', 'unknown command /jion; did you mean /join?', 'unknown command jion; did you mean join?'],
    ['/help', 'unknown command //help; did you mean /help?', 'unknown command /help; did you mean help?'],
    [
      '__proto__',
      'unknown command /__proto__; /help lists them',
      'unknown command __proto__; help lists them',
    ],
  ])('%j gets one sentence, and no usage', async (line, typed, script) => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, line)).toEqual({ ...done(), status: 2, err: [typed] })
    expect(await world.exec(world.bob, line)).toEqual({ ...done(), status: 2, err: [script] })
  })

  test('is repeated only in part when it is long', async () => {
    await using world = await createCommandWorld()
    expect((await world.exec(world.bob, 'x'.repeat(99_999))).err).toEqual([
      `unknown command ${'x'.repeat(40)}; help lists them`,
    ])
  })
})

test('what is said goes into the room of the session, and is refused in words', async () => {
  await using world = await createCommandWorld()
  const { caller, told } = sessionIn(world.turnWorld.room, world.bob)
  expect(await world.runner.speech('/not a command', caller)).toBe(0)
  expect(await world.texts('lobby')).toEqual(['/not a command'])
  expect(await world.runner.speech(' ', caller)).toBe(1)
  expect(told.err).toEqual(['there is nothing to say: the message is empty'])
})

test('who is too fast is refused before anything runs', async () => {
  let runs = 0
  const { world, runner } = await createScene(async () => void runs++)
  await using _ = world
  const { told, out } = recordOutput()
  const caller = { person: world.bob, out, signal: new AbortController().signal }
  for (const status of [0, 0, 1]) expect(await runner.command('do', caller)).toBe(status)
  expect(told.err).toEqual(['you are going too fast; wait a few seconds and say it again'])
  expect(runs).toBe(2)
})

test('who has used up their bytes is refused all but what protects, which counts all the same', async () => {
  let runs = 0
  const scene = await createScene(async () => void runs++)
  await using _ = scene.world
  const { told, out } = recordOutput()
  const caller = { person: scene.world.bob, out, signal: new AbortController().signal }
  expect(await scene.runner.command(`guard${' '.repeat(200)}`, caller)).toBe(0)
  expect(await scene.runner.command('do', caller)).toBe(1)
  expect(told.err).toEqual([expect.stringContaining('bytes_per_person_day, 100')])
  expect(runs).toBe(1)
})

describe('where other servers may have decided something meanwhile', () => {
  test('it is known before anything is said or done, and nothing is where it cannot be known', async () => {
    const steps: string[] = []
    let news = async (): Promise<void> => void steps.push('known')
    const scene = await createScene(
      async () => void steps.push('done'),
      () => news(),
    )
    await using _ = scene.world
    const { clock } = scene.world.turnWorld.chatParts
    const { caller, told } = scene.bob
    expect(await scene.runner.command('do', caller)).toBe(0)
    expect(steps.splice(0)).toEqual(['known', 'done'])
    let isThere = true
    news = async () => void (isThere = false)
    const session = { ...caller.session, isThere: () => isThere }
    expect(await scene.runner.speech('too late', { ...caller, session })).toBe(1)
    news = () => Promise.reject(new StorageError('away', 'the database is away', { reading: true }))
    clock.advance(60_000)
    expect(await scene.runner.speech('lost', caller)).toBe(1)
    expect(await scene.runner.command('do', caller)).toBe(1)
    clock.advance(60_000)
    expect(await scene.runner.command('nothing-like-it', caller)).toBe(2)
    expect(told.err).toEqual([
      'you were put out of lobby before this was done; it was not done',
      'not stored: the database is away',
      'not done: the database is away',
      'unknown command /nothing-like-it; /help lists them',
    ])
    expect(await scene.world.texts('lobby')).toEqual([])
    expect(await scene.runner.command('end', caller)).toBe(0)
    expect(steps).toEqual(['done'])
  })
})

describe('a command that changes a room', () => {
  test.each([
    ['topic', 'x', 'change its topic'],
    ['vibe', 'x', 'change its vibe'],
    ['portal', 'west lobby', 'change its exits'],
    ['nav', 'on', 'say whether models may walk'],
    ['tools', 'off', 'change its tools'],
    ['script', 'set x', 'set or check its script'],
    ['script', 'reset', 'reset its script'],
    ['checkpoint', 'x', 'set its checkpoint'],
    ['kv', 'key value', 'change its key-values'],
  ])('/%s %s is for the owner, ops and admins; a guest and a member read why', async (verb, words, what) => {
    await using world = await createCommandWorld()
    const sentence = refused(`only the owner of hall, an op or an admin can ${what}`)
    for (const person of [world.bob, world.guest]) {
      expect(await world.type(person, `${verb} ${words}`)).toEqual(sentence)
      expect(await world.exec(person, `${verb} hall ${words}`, 'x')).toEqual(sentence)
    }
    expect(await world.texts('hall')).toEqual([])
    const hall = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
    await world.turnWorld.chatParts.storage.chat.rooms.setMembership(hall.name, world.bob.id, 'op')
    for (const person of [world.ann, world.bob, world.root])
      expect((await world.type(person, `${verb} ${words}`)).err.join()).not.toContain('only the owner')
  })

  test('has its room looked up before its words and the rights are', async () => {
    await using world = await createCommandWorld()
    const noRoom = refused('there is no room called den; see rooms, or make it with create')
    for (const line of ['nav den maybe', 'topic den mine', 'script den edit'])
      expect(await world.exec(world.bob, line)).toEqual(noRoom)
    expect(await world.exec(world.bob, 'topic')).toEqual(
      misused('topic: ROOM is missing', 'topic ROOM [--json] [TEXT…]'),
    )
  })
})
