import { expect, test, vi } from 'vitest'
import type { Sanction } from '../../../../src/chat/moderation/ports.ts'
import type { Person } from '../../../../src/words/person.ts'
import { createRoutineWorld, type RoutineWorld } from '../../../support/routine-world.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'

const WRAP = 'function default_wrap(t) return wrap(t):system():history() end\n'
const ECHO = 'function on_message(entry) return { say = "heard " .. entry.text } end'
const ASK = 'function on_message(entry) return { ask = "@qwen", text = "look" } end'
const ANSWER_PROGRAMS = 'function on_program_line(entry) return { say = "got " .. entry.text } end'
const NO_PERSON = 'a model, a tool, a routine or a hook said the line'

/** A room with a script that ann, or `by`, has set in it. */
async function createScripted(source: string, answers: readonly string[] = [], by?: Person | null) {
  const model = scriptedModel(...answers.map((text) => say(text)))
  const world = await createRoutineWorld(model)
  world.policy.allow = { watch: 'members' }
  world.engine.start()
  const { room, ann, storage, clock } = world
  const person = by === null ? null : (by?.id ?? ann.id)
  const script = { room: room.name, source: WRAP + source, author: 'ann', person, at: clock.now() }
  await storage.prompts.scripts.put(script)
  return { world, model }
}

const logOf = ({ world, room }: RoutineWorld): string => world.hooks.logOf(room.name).join('\n')
const logged = (world: RoutineWorld, text: string) =>
  vi.waitFor(() => expect(logOf(world)).toContain(text), { timeout: 10_000 })

test("on_message posts a line for the script's person and is not called for that line", async () => {
  const { world } = await createScripted(ECHO)
  await using _ = world
  const bob = await world.person('bob')
  await world.speech.say(world.room, bob, 'hello')
  await logged(world, `on_message  not said: ${NO_PERSON}`)
  expect(world.entries.filter(({ kind }) => kind === 'message')).toMatchObject([
    { author: 'bob', text: 'hello' },
    { author: 'ann', by: world.ann.id, text: 'heard hello', routine: 0 },
  ])
})

test('on_message asks a model once, and is not called for its question or the answer', async () => {
  const { world, model } = await createScripted(ASK, ['I looked'])
  await using _ = world
  await world.speech.say(world.room, world.ann, 'hello')
  await world.heard('I looked')
  await vi.waitFor(() => expect(logOf(world).split(`not asked: ${NO_PERSON}`)).toHaveLength(3))
  expect(world.said()).toEqual(['@qwen look'])
  expect(model.requests).toHaveLength(1)
})

test('on_message does not answer lines of guests or lines that a tool posted for a model', async () => {
  const { world } = await createScripted(ECHO)
  await using _ = world
  await world.room.record({ kind: 'message', author: 'qwen', text: 'by a tool' })
  await logged(world, NO_PERSON)
  const guest = {
    kind: 'message',
    author: 'bob-2',
    by: 'guest:SHA256:key:bob-2' as Person['id'],
    text: 'hi',
  } as const
  await world.room.record(guest)
  await logged(world, 'not said: a guest said the line')
  expect(world.said()).toEqual([])
})

test('on_program_line answers lines of programs, on_message only calls webhooks for those of agents', async () => {
  const { world } = await createScripted(`${ANSWER_PROGRAMS}\n${ECHO}`)
  await using _ = world
  const { speech, room, ann } = world
  await speech.say(room, ann, 'an alert', { byProgram: true, posted: true })
  await world.heard('got an alert')
  await logged(world, NO_PERSON)
  expect(logOf(world)).not.toContain('on_program_line may answer')
  await speech.say(room, ann, 'an agent', { byProgram: true })
  await world.heard('got an agent')
  await logged(world, 'not said: a program said the line, which on_program_line may answer')
  expect(world.said()).toEqual(['got an alert', 'got an agent'])
})

test('on_program_line is not called for a line that a person typed, and sends nothing to a webhook', async () => {
  const source = 'function on_program_line(entry) tools.log("info", entry.text) return { webhook = "ci" } end'
  const { world } = await createScripted(source)
  await using _ = world
  await world.speech.say(world.room, world.ann, 'typed')
  await world.speech.say(world.room, world.ann, 'posted', { byProgram: true })
  await logged(world, 'the answer has unknown keys: webhook; on_program_line takes ask, say, text')
  expect(logOf(world)).not.toContain('info: typed')
})

test('the script of a fork posts nothing until a person sets the script in the fork', async () => {
  const { world } = await createScripted(ECHO, [], null)
  await using _ = world
  await world.speech.say(world.room, world.ann, 'hello')
  await logged(
    world,
    'not said: nobody has set the script in this room; set the script again to let it speak',
  )
  expect(world.said()).toEqual([])
})

test('a script whose person is muted or banned posts nothing', async () => {
  const { world } = await createScripted(ECHO)
  await using _ = world
  const bob = await world.person('bob')
  const { sanctions, room, ann } = world
  const ban: Sanction = {
    ...{ id: '01', kind: 'ban', room: null, who: 'ann', people: [ann.id], keys: [], network: null },
    ...{ reason: '', by: 'rhea', at: 0, until: null },
  }
  await sanctions.put({ ...ban, id: '02', kind: 'mute', room: room.name })
  await world.speech.say(room, bob, 'hello')
  await logged(world, 'not said: you are muted')
  await sanctions.put(ban)
  await world.speech.say(room, bob, 'hello')
  await logged(world, 'not said: ann is banned')
  expect(world.said()).toEqual([])
})

test('a script asks no model if its person may not have models asked automatically', async () => {
  const { world } = await createScripted(ASK)
  await using _ = world
  world.policy.allow = {}
  world.policy.isOpen = true
  await world.speech.say(world.room, world.ann, 'hello')
  await logged(world, 'not asked: ann may not make it any more: only admins may use watch with a model')
  expect(world.said()).toEqual([])
})

test('a script asks no missing model, and no model at all if routines are turned off', async () => {
  const { world } = await createScripted(ASK.replace('@qwen', '@nobody'))
  await using _ = world
  await world.speech.say(world.room, world.ann, 'hello')
  await logged(world, 'not asked: there is no model @nobody')
  const { world: off } = await createScripted(ECHO)
  await using __ = off
  off.policy.enabled = false
  await off.speech.say(off.room, off.ann, 'hello')
  await logged(off, 'the operator of this server has turned routines off')
})

test('a script asks models at most routine_runs_per_hour times in an hour', async () => {
  const { world } = await createScripted(ASK, ['one', 'two'])
  await using _ = world
  world.limits.routine_runs_per_hour = 1
  await world.speech.say(world.room, world.ann, 'hello')
  await world.heard('one')
  await world.speech.say(world.room, world.ann, 'hello again')
  await logged(world, 'not asked: the script has asked 1 times in an hour (routine_runs_per_hour)')
  expect(world.said()).toEqual(['@qwen look'])
})

test('the lines of a script have the rate limit of messages', async () => {
  const { world } = await createScripted(ECHO)
  await using _ = world
  Object.assign(world.paceLimits, { rate_burst: 1, rate_per_s: 0.01 })
  await world.speech.say(world.room, world.ann, 'one')
  await world.heard('heard one')
  await world.speech.say(world.room, world.ann, 'two')
  await logged(world, 'not said: you are going too fast')
  expect(world.said()).toEqual(['heard one'])
})
