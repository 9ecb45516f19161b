import type { PersonId } from '../../../src/words/person.ts'
import { expect, test } from 'vitest'
import { entryJson, entryLine } from '../../../src/words/entry-text.ts'
import { Refusal, StorageError, UsageError } from '../../../src/words/errors.ts'
import { createByteQuota, createRateLimiter } from '../../../src/chat/limits.ts'
import { Runner } from '../../../src/commands/runner.ts'
import { Speech } from '../../../src/commands/speech.ts'
import { recordOutput, sessionIn } from '../../support/commands/caller.ts'
import { createCommandWorld, done, misused, refused } from '../../support/commands/command-world.ts'
import { defineCommand } from '../../../src/commands/command.ts'
import { routineRun } from '../../support/routine-run.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld } from '../../support/turn-world.ts'
import { answerCommand, hintForBareCommand, hintForSpeech } from '../../../src/commands/hints.ts'

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

test.each([
  ['that succeeds', async () => {}, { status: 0, err: [] }],
  ['that fails', async () => false as const, { status: 1, err: [] }],
  ['that is refused', () => Promise.reject(new Refusal('no')), { status: 1, err: ['no'] }],
  [
    'with a usage error',
    () => Promise.reject(new UsageError('do: bad', 'do WELL')),
    { status: 2, err: ['do: bad', 'usage: do WELL'] },
  ],
  [
    'that the store refuses',
    () => Promise.reject(new StorageError('full', 'the disk is full')),
    { status: 1, err: ['not stored: the disk is full'] },
  ],
  [
    'that fails in the store with advice for operators',
    () => Promise.reject(new StorageError('away', 'it is away', { forOperators: 'start it' })),
    { status: 1, err: ['not stored: it is away'] },
  ],
  [
    'that fails to read from the store',
    () => Promise.reject(new StorageError('other', 'the disk failed', { reading: true })),
    { status: 1, err: ['not read: the disk failed'] },
  ],
  [
    'that rejects because of a bug',
    () => Promise.reject(new TypeError('x is not a function')),
    { status: 1, err: [WENT_WRONG] },
  ],
  [
    'that throws because of a bug',
    () => {
      throw new TypeError('x is not a function')
    },
    { status: 1, err: [WENT_WRONG] },
  ],
])('the runner reports the status and message of a command %s', async (_title, run, expected) => {
  const { world, runner, bob } = await createScene(run)
  await using _ = world
  expect({ status: await runner.command('do', bob.caller), err: bob.told.err }).toEqual(expected)
})

test('an admin reads the advice for operators in a storage error', async () => {
  const { world, runner, bob } = await createScene(() =>
    Promise.reject(new StorageError('away', 'it is away', { forOperators: 'start it' })),
  )
  await using _ = world
  const { caller } = bob
  await runner.command('do', { ...caller, person: { ...caller.person, admin: true } })
  expect(bob.told.err).toEqual(['not stored: start it'])
})

test('a background task that throws prints an error and is logged, but its command succeeds', async () => {
  const { world, runner, bob, log } = await createScene(() => Promise.reject(new TypeError('a bug')))
  await using _ = world
  const told = bob.next()
  expect(await runner.command('beside', bob.caller)).toBe(0)
  expect(await told).toBe(WENT_WRONG)
  expect(log.lines).toContain('a command threw')
})

const UNREAD = 'there is no command /unread; /rooms says where something is new; /next goes there'

test.each([
  ['', 'which command? /help lists them', 'which command? help lists them'],
  ['jion hall', 'unknown command /jion; did you mean /join?', 'unknown command jion; did you mean join?'],
  ['unread', UNREAD, UNREAD.replaceAll(/ \//g, ' ')],
  ['delte', 'unknown command /delte; /help lists them', 'unknown command delte; help lists them'],
  ['/help', 'unknown command //help; did you mean /help?', 'unknown command /help; did you mean help?'],
  ['__proto__', 'unknown command /__proto__; /help lists them', 'unknown command __proto__; help lists them'],
])('the unknown command line %j gets a one-line error without usage', async (line, typed, script) => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, line)).toEqual({ ...done(), status: 2, err: [typed] })
  expect(await world.exec(world.bob, line)).toEqual({ ...done(), status: 2, err: [script] })
})

test('the error for a long unknown command repeats only its first 40 characters', async () => {
  await using world = await createCommandWorld()
  expect((await world.exec(world.bob, 'x'.repeat(99_999))).err).toEqual([
    `unknown command ${'x'.repeat(40)}; help lists them`,
  ])
})

test('speech is posted to the room of the session, and an empty message is refused', async () => {
  await using world = await createCommandWorld()
  const { caller, told } = sessionIn(world.turnWorld.room, world.bob)
  expect(await world.runner.speech('/not a command', caller)).toBe(0)
  expect(await world.texts('lobby')).toEqual(['/not a command'])
  expect(await world.runner.speech(' ', caller)).toBe(1)
  expect(told.err).toEqual(['there is nothing to say: the message is empty'])
})

test('speech has the mark of a program in a session without a terminal, and only there', async () => {
  await using world = await createCommandWorld()
  const { caller } = sessionIn(world.turnWorld.room, world.bob)
  const piped = { ...caller, session: { ...caller.session, isPipe: true } as const }
  expect(await world.runner.speech('typed', caller)).toBe(0)
  expect(await world.runner.speech('piped', piped)).toBe(0)
  expect(await world.runner.command('say piped, too', piped)).toBe(0)
  const log = await world.turnWorld.log()
  expect(log.map(({ text, byProgram }) => [text, byProgram])).toEqual([
    ['typed', undefined],
    ['piped', true],
    ['piped, too', true],
  ])
})

test('a caller over the rate limit is refused before the command runs', async () => {
  let runs = 0
  const { world, runner } = await createScene(async () => void runs++)
  await using _ = world
  const { told, out } = recordOutput()
  const caller = { person: world.bob, out, signal: new AbortController().signal }
  for (const status of [0, 0, 1]) expect(await runner.command('do', caller)).toBe(status)
  expect(told.err).toEqual(['you are going too fast; wait a few seconds and say it again'])
  expect(runs).toBe(2)
})

test('an exempt command runs over the byte quota but still counts towards it', async () => {
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

test('a command or message first loads changes from other servers and is refused if that fails', async () => {
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
])('/%s %s is refused with a reason unless the caller is owner, op or admin', async (verb, words, what) => {
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

test('a command that changes a room finds the room before it checks arguments and rights', async () => {
  await using world = await createCommandWorld()
  const noRoom = refused('there is no room called den; see rooms, or make it with create')
  for (const line of ['nav den maybe', 'topic den mine', 'script den edit'])
    expect(await world.exec(world.bob, line)).toEqual(noRoom)
  expect(await world.exec(world.bob, 'topic')).toEqual(
    misused('topic: ROOM is missing', 'topic ROOM [--json] [TEXT…]'),
  )
})

/** Where nobody has registered. */
const nobody = {
  called: async () => {
    throw new Refusal('nobody')
  },
}

const nothingAsked = { open: () => [] }

const limits = { message_chars: 4000, message_lines: 400, paste_bytes: 65_536 }

test('a message that mentions several models calls each of them once', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')), { more: [anotherModel('llama')] })
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, nothingAsked)
  const { turns } = await speech.say(world.room, world.ann, '@llama and @qwen: and again @llama?')
  const last = await Promise.all([...turns.values()].map((turn) => turn.done))
  expect(last.map(({ author, text }) => `${author}: ${text}`)).toEqual(['llama: I am llama', 'qwen: a'])
})

test('a line of a routine is marked and asks models, but rings nobody and ends no absence', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')))
  const heard: string[] = []
  const away = { heard: (_room: unknown, _person: unknown, text: string) => void heard.push(text) }
  const speech = new Speech(world.turns, limits, away, nobody, nothingAsked)
  const routine = routineRun()
  const { message, turns } = await speech.say(world.room, world.ann, '@all @qwen sum up', { routine })
  await Promise.all([...turns.values()].map((turn) => turn.done))
  expect(message).toMatchObject({ routine: 3, by: world.ann.id })
  expect(message).not.toHaveProperty('toAll')
  expect([...turns.keys()]).toEqual(['qwen'])
  expect(heard).toEqual([])
  expect(entryLine(message)).toBe('ann (routine 3): @all @qwen sum up')
  expect(entryJson(message)).toMatchObject({ author: 'ann', routine: 3 })
  const { message: byHook } = await speech.say(world.room, world.ann, 'hi', {
    routine: routineRun({ number: 0 }),
  })
  expect(byHook).toMatchObject({ routine: 0 })
})

test.each([
  ['yes', '/allow 2 answers question 2'],
  [' Y ', '/allow 2 answers question 2'],
  ['1', '/allow 2 answers question 2'],
  ['no', '/deny 2 answers question 2'],
  ['allow 6', '/allow 2 answers question 2'],
  ['Yes.', '/allow 2 answers question 2'],
  ['ok', '/allow 2 answers question 2'],
  ['sure', '/allow 2 answers question 2'],
  ['okay!', '/allow 2 answers question 2'],
  ['deny 6', '/deny 2 answers question 2'],
])('the message %j gets a hint only if the speaker may answer an open question', async (text, hint) => {
  await using world = await createTurnWorld(scriptedModel())
  const question = (number: number, name: string) => ({
    ...{ number, waitsFor: name, requester: name as PersonId },
    mayAllow: (person: { readonly name: string }) => person.name === name,
  })
  const asked = { open: () => [question(1, 'bob'), question(2, 'ann')] }
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, asked)
  expect((await speech.say(world.room, world.ann, text)).hint).toBe(`that was said in the room; ${hint}`)
  const others = new Speech(world.turns, limits, { heard() {} }, nobody, { open: () => [question(1, 'bob')] })
  expect((await others.say(world.room, world.ann, text)).hint).toBeUndefined()
})

test('the hint for "allow 2" names question 2', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const asked = {
    open: () =>
      [1, 2].map((number) => ({
        number,
        waitsFor: 'ann',
        requester: 'ann' as PersonId,
        mayAllow: () => true,
      })),
  }
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, asked)
  expect((await speech.say(world.room, world.ann, 'allow 2')).hint).toContain('/allow 2 answers')
})

test('a sentence that begins with yes answers no question', () => {
  for (const text of ['yes, I think so', 'allow me', 'ok, then', '11', ''])
    expect(answerCommand(text)).toBeUndefined()
})

test.each([
  ['op', 'message', true, undefined],
  ['owner', 'action', true, undefined],
  ['admin', 'message', true, undefined],
  ['member', 'message', undefined, 'that rang nobody: only ops'],
  ['guest', 'action', undefined, 'that rang nobody: only ops'],
] as const)(
  '@here by a person with the role %s in a line of the kind %s rings everybody: %s',
  async (role, kind, toAll, hint) => {
    await using world = await createTurnWorld(scriptedModel())
    const room = { ...world.room, roleOf: async () => role }
    const speech = new Speech(world.turns, limits, { heard() {} }, nobody, nothingAsked)
    const text = 'lunch, @Here!'
    const said = kind === 'action' ? speech.act(room, world.ann, text) : speech.say(room, world.ann, text)
    expect((await said).hint ?? '').toContain(hint ?? '')
    const [entry] = await world.room.history({ limit: 1, kinds: [kind] })
    expect(entry).toMatchObject({ kind, text, ...(toAll && { toAll }) })
    expect(entry?.toAll).toBe(toAll)
  },
)

test('a mentioned model that cannot be asked is named, and other models are still asked', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a')), {
    more: [anotherModel('llama')],
    limits: { turns_per_room: 1, turns_queued: 0 },
  })
  const speech = new Speech(world.turns, limits, { heard() {} }, nobody, nothingAsked)
  const said = speech.say(world.room, world.ann, '@qwen @llama hello')
  await expect(said).rejects.toThrow(/^@llama was not asked: 1 model is at work here and 0 wait;/)
  await Promise.all(world.turns.running(world.room.name).map((turn) => turn.ended()))
  expect(await world.lines()).toEqual(['reply: a'])
})

test.each([
  ['@qwne why?', 'no model or person called qwne; did you mean @qwen?'],
  ['so, @qwne: why?', 'no model or person called qwne; did you mean @qwen?'],
  ['@anm hi', 'no model or person called anm; did you mean @Ann?'],
  ['@xyz hi', 'no model or person called xyz; /who lists those who are here'],
  ['qwen: are you there?', 'nobody was asked: write @qwen, not qwen'],
  ['Qwen, hello', 'nobody was asked: write @qwen, not qwen'],
  ['exit', 'that was said in the room; /quit leaves'],
  [' HELP ', 'that was said in the room; /help lists the commands'],
  ['exit now', 'that was said in the room; /quit leaves'],
  ['quit()', 'that was said in the room; /quit leaves'],
  ['cd ..', 'that was said in the room; /join NAME goes to a room, /leave back to the lobby'],
  ['ls -la', 'that was said in the room; /rooms lists the rooms, /who the people'],
  ['sudo su', 'that was said in the room; this is no shell: /help lists the commands'],
  ['@', 'that was said in the room; @NAME in a message asks a model; /models lists them'],
  ['git status', undefined],
  ['bye', undefined],
  ['exit nowhere', undefined],
  ['cd is broken', undefined],
  ['sudo make me a sandwich', undefined],
  ['@qwen why?', undefined],
  ['@QWEN. why?', undefined],
  ['@ann hi', undefined],
  ['@bob hi', undefined],
  ['@everyone hi', undefined],
  ['qwen: ask @qwen', undefined],
  ['see @xyz', undefined],
  ['@Ann knows\n@param x', undefined],
  ['npm i @types/node', undefined],
  ['mail ann@example.org', undefined],
  ['exit the room', undefined],
  ['@'.repeat(4_000), undefined],
  [`@${'x'.repeat(4_000)}`, undefined],
  ['', undefined],
])('the message %j gives its speaker the hint %j', async (text, expected) => {
  const isRegistered = async (name: string) => name === 'bob'
  const callable = { models: ['guide', 'qwen'], people: ['Ann'], isRegistered }
  expect(await hintForSpeech(text, callable)).toBe(expected)
})

test.each([
  ['!help', 'that was said in the room; a command begins with a slash, as in /help'],
  ['\\help me', 'that was said in the room; a command begins with a slash, as in /help'],
  [' .Join den', 'that was said in the room; a command begins with a slash, as in /join'],
  ['!important', undefined],
  ['.helpful', undefined],
  ['.gitignore', undefined],
  ['... help', undefined],
  [':)', undefined],
  ['help!', undefined],
  ['', undefined],
])('the message %j with a foreign command prefix gives its speaker the hint %j', (text, expected) => {
  expect(hintForBareCommand(text, (word) => ['help', 'join'].includes(word))).toBe(expected)
})
