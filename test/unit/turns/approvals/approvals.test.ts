import { expect, it } from 'vitest'
import type { ApprovalEntry, TurnId } from '../../../../src/words/entry.ts'
import { StorageError } from '../../../../src/words/errors.ts'
import type { Peers } from '../../../../src/chat/peers.ts'
import type { AllowRules } from '../../../../src/words/tool-words.ts'
import type { Person } from '../../../../src/words/person.ts'
import type { PermissionRequest } from '../../../../src/tools/context.ts'
import { Approvals } from '../../../../src/turns/approvals/approvals.ts'
import type { QuestionLimits } from '../../../../src/turns/approvals/questions.ts'
import { createChatParts, REQUESTERS_ALLOW, screenOf } from '../../../support/chat-parts.ts'

const HOUR = 3_600_000

/** A lobby with ann and bob in it, an op who is not, and people to ask. */
async function createScene({
  answerMs,
  peers: changed,
  rules = {},
  ...limits
}: Partial<QuestionLimits> & {
  readonly answerMs?: number
  readonly peers?: Partial<Peers>
  readonly rules?: Partial<AllowRules>
} = {}) {
  const chatParts = await createChatParts(changed)
  const { storage, rooms, peers, clock, log } = chatParts
  const room = await rooms.lobby()
  const [ann, bob, op] = [
    await chatParts.person('ann'),
    await chatParts.person('bob'),
    await chatParts.person('op'),
  ]
  await storage.chat.rooms.setMembership(room.name, op.id, 'op')
  const screens = [screenOf(ann), screenOf(bob)] as const
  for (const screen of screens) await room.enter(screen)
  const approvals = new Approvals({
    room: (name) => rooms.anyRoom(name),
    grants: storage.tools.grants,
    questions: peers.questions,
    limits: { approvals_per_room: 8, approvals_per_person: 4, ...limits },
    rules: () => ({ ...REQUESTERS_ALLOW, ...rules }),
    answerMs,
    clock,
    log,
  })
  const stop = new AbortController()
  const wants = (target: string, change: Partial<PermissionRequest> = {}): PermissionRequest => ({
    requester: ann,
    room: room.name,
    model: 'qwen',
    turn: 'T1' as TurnId,
    tool: 'run_command',
    access: 'execute',
    target,
    detail: target,
    signal: stop.signal,
    ...change,
  })
  /** Asks, and resolves when the room has seen the question. */
  async function ask(target: string, change?: Partial<PermissionRequest>) {
    const seen = new Promise<void>((resolve) => {
      const end = room.listen({
        deliver(entry) {
          if (entry.kind !== 'approval' || entry.verdict !== 'asked') return
          end()
          resolve()
        },
      })
    })
    const verdict = approvals.request(wants(target, change))
    await Promise.race([seen, verdict])
    return { verdict }
  }
  const entries = async (): Promise<readonly ApprovalEntry[]> =>
    (await storage.chat.entries.read(room.name, { limit: 1000, kinds: ['approval'] })) as ApprovalEntry[]
  const answer = (
    person: Person,
    verdict: 'once' | 'room' | 'always' | 'denied' = 'once',
    question?: number,
  ) => approvals.answer({ room, person, verdict, ...(question === undefined ? {} : { question }) })
  return { ...chatParts, room, ann, bob, op, screens, approvals, stop, wants, ask, entries, answer }
}

it('a question accepts only one of two simultaneous answers', async () => {
  const { ann, op, ask, answer, entries } = await createScene()
  const { verdict } = await ask('x')
  // The first of them is looked up in the store.
  const answers = await Promise.allSettled([answer(op, 'room'), answer(ann, 'denied')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(await verdict).toEqual({ why: 'denied by ann' })
  expect((await entries()).map((entry) => entry.verdict)).toEqual(['asked', 'denied'])
})

it('a tool that only reads is allowed without a question', async () => {
  const { approvals, wants, entries } = await createScene()
  expect(await approvals.request(wants('x', { access: 'read' }))).toBe('allow')
  expect(await entries()).toEqual([])
})

it('the entry of a question names the requester, the tool and the access, and quotes each line', async () => {
  const { ask, answer, ann, entries } = await createScene()
  const { verdict } = await ask('one\nquestion 9: may @qwen use look (read)?\n')
  await answer(ann)
  expect(await verdict).toBe('allow')
  const [asked, answered] = await entries()
  expect(asked).toMatchObject({ author: 'qwen', verdict: 'asked', question: 1, requester: 'ann', turn: 'T1' })
  expect(asked!.text.split('\n')).toEqual([
    'question 1: may @qwen, for ann, use run_command (execute)?',
    '| one',
    '| question 9: may @qwen use look (read)?',
    '| ',
    'ann or an op answers within 2m:',
    '/allow 1 – this once',
    '/allow room 1 – exactly this, in this room, for 8 hours',
    '/allow always 1 – the same, until /perms revoke (ops only)',
    '/deny 1',
  ])
  expect(answered).toMatchObject({ author: 'ann', verdict: 'once', question: 1 })
})

it('a question is denied if nobody answers in time', async () => {
  const { ask, answer, ann, entries } = await createScene({ answerMs: 20 })
  const { verdict } = await ask('ls')
  expect(await verdict).not.toBe('allow')
  expect((await entries()).at(-1)).toMatchObject({
    author: 'system',
    verdict: 'denied',
    text: 'denied: nobody answered within 20ms (run_command for ann)',
  })
  await expect(answer(ann)).rejects.toThrow('no question is open in lobby')
})

it.each(['ann', 'op'] as const)('a question can be answered by %s', async (who) => {
  const scene = await createScene()
  const { verdict } = await scene.ask('ls')
  await scene.answer(scene[who])
  expect(await verdict).toBe('allow')
})

it('a question cannot be answered by another member, and stays open', async () => {
  const { ask, answer, bob, ann } = await createScene()
  const { verdict } = await ask('ls')
  for (const how of ['once', 'room', 'always', 'denied'] as const)
    await expect(answer(bob, how, 1)).rejects.toThrow('only ann, the owner of lobby, an op or an admin')
  await answer(ann)
  expect(await verdict).toBe('allow')
})

it("an answer without a number goes to the person's own question", async () => {
  const { ask, answer, bob } = await createScene()
  const anns = await ask('ls')
  const bobs = await ask('pwd', { requester: bob })
  await answer(bob)
  expect(await bobs.verdict).toBe('allow')
  await expect(answer(bob)).rejects.toThrow('only ann')
  expect(await Promise.race([anns.verdict, Promise.resolve('open')])).toBe('open')
})

it('an answer needs a number if several questions are open, and numbers are not reused', async () => {
  const { ask, answer, ann, op } = await createScene()
  const [first, second] = [await ask('a'), await ask('b')]
  await expect(answer(ann)).rejects.toThrow('several questions are open: 1, 2; say which one, as in /allow 1')
  await answer(op, 'once', 2)
  await answer(ann, 'denied')
  expect([await first.verdict, await second.verdict]).toEqual([{ why: 'denied by ann' }, 'allow'])
  await ask('c')
  await expect(answer(ann, 'once', 2)).rejects.toThrow('question 2 is not open in lobby')
  expect(await answer(ann, 'once', 3)).toBe('allowed once (question 3: run_command for ann)')
})

it('a request is denied if its requester is not in the room', async () => {
  const { ask, op, entries } = await createScene()
  const { verdict } = await ask('ls', { requester: op })
  expect(await verdict).not.toBe('allow')
  expect((await entries()).map((entry) => entry.text)).toEqual([
    'denied: op is not in lobby to be asked (run_command for op)',
  ])
})

it('a question is denied when its requester leaves with the last terminal', async () => {
  const { ask, room, ann, screens, entries } = await createScene()
  const second = screenOf(ann)
  await room.enter(second)
  const { verdict } = await ask('ls')
  await room.leave(screens[0])
  expect(await Promise.race([verdict, Promise.resolve('open')])).toBe('open')
  await room.leave(second)
  expect(await verdict).not.toBe('allow')
  expect((await entries()).at(-1)!.text).toMatch(/^denied: ann left/)
})

it('a question ends with "the server is stopping" if the requester leaves during the shutdown', async () => {
  const { ask, approvals, room, screens } = await createScene()
  const { verdict } = await ask('ls')
  approvals.drain()
  await room.leave(screens[0])
  expect(await verdict).toEqual({ why: 'the server is stopping' })
})

it('a question stays open while its requester may be moving to another server', async () => {
  let isMoving = true
  let changed = (): void => undefined
  const peers: Partial<Peers> = {
    mayReturn: () => isMoving,
    watch: (_room, listener) => (changed = listener),
  }
  const { ask, room, screens, answer, op, entries } = await createScene({ peers })
  const before = await ask('ls')
  await room.leave(screens[0])
  const meanwhile = await ask('pwd')
  await answer(op, 'once', 2)
  expect(await meanwhile.verdict).toBe('allow')
  expect((await entries()).map(({ verdict }) => verdict)).toEqual(['asked', 'asked', 'once'])
  isMoving = false
  changed()
  expect(await before.verdict).toEqual({ why: 'ann left' })
  const late = await ask('id')
  expect(await late.verdict).toEqual({ why: 'ann is not in lobby to be asked' })
})

it('a question is denied when its turn is stopped, and later requests are not asked', async () => {
  const { ask, stop, approvals, wants, entries } = await createScene()
  const { verdict } = await ask('ls')
  stop.abort()
  expect(await verdict).not.toBe('allow')
  expect(await approvals.request(wants('ls'))).toHaveProperty('why')
  expect((await entries()).map((entry) => entry.verdict)).toEqual(['asked', 'denied'])
})

it('a question is denied if the turn is stopped while the answer is being stored', async () => {
  const { ask, answer, ann, stop, storage } = await createScene()
  const { verdict } = await ask('ls')
  const append = storage.chat.entries.append.bind(storage.chat.entries)
  storage.chat.entries.append = async (entry) => {
    stop.abort()
    return await append(entry)
  }
  await answer(ann)
  expect(await verdict).not.toBe('allow')
})

it('the open questions of one person are limited, and other people can still ask', async () => {
  const { ask, answer, ann, bob, entries } = await createScene({ approvals_per_person: 2 })
  const first = await ask('a')
  await ask('b')
  const why = 'ann has 2 open questions here already'
  expect(await (await ask('c')).verdict).toEqual({ why })
  expect((await entries()).at(-1)!.text).toBe(`denied: ${why} (run_command for ann)`)
  const bobs = await ask('d', { requester: bob })
  await answer(bob)
  expect(await bobs.verdict).toBe('allow')
  await answer(ann, 'once', 1)
  expect(await first.verdict).toBe('allow')
  await ask('e')
  await answer(ann, 'once', 4)
})

it('a question names the people present who may answer, and is denied if there are none', async () => {
  const { ask, answer, room, op, person, entries } = await createScene()
  await room.enter(screenOf(op))
  await ask('ls')
  expect((await entries()).at(-1)).toMatchObject({ verdict: 'asked', answerers: ['ann', 'op'] })
  const why = 'only an admin can allow it, and none is in lobby'
  expect(await (await ask('curl', { onceOnly: true })).verdict).toEqual({ why })
  const root = await person('root', { admin: true })
  await room.enter(screenOf(root))
  const { verdict } = await ask('curl', { onceOnly: true })
  expect((await entries()).at(-1)).toMatchObject({ verdict: 'asked', answerers: ['root'] })
  await answer(root, 'once', 2)
  expect(await verdict).toBe('allow')
})

it('the open questions of a room are limited, but a person without any may ask one', async () => {
  const { ask, answer, bob, entries } = await createScene({ approvals_per_room: 2 })
  await ask('a')
  await ask('b')
  expect(await (await ask('c')).verdict).toEqual({ why: '2 questions are open here already' })
  expect((await entries()).at(-1)!.text).toMatch(/^denied: 2 questions are open here already/)
  const { verdict } = await ask('d', { requester: bob })
  await answer(bob)
  expect(await verdict).toBe('allow')
})

it('a question that is too long to be shown is denied', async () => {
  const { ask, entries } = await createScene()
  expect(await (await ask('x'.repeat(65_537))).verdict).toEqual({
    why: 'it is too long to be shown: 65537 characters',
  })
  expect((await entries()).at(-1)!.text).toMatch(/too long to be shown: 65537 characters/)
})

it('a question or an answer that cannot be stored is denied', async () => {
  const { ask, answer, ann, approvals, wants, storage, log } = await createScene()
  const full = new StorageError('full', 'the disk is full')
  const append = storage.chat.entries.append.bind(storage.chat.entries)
  const { verdict } = await ask('ls')
  storage.chat.entries.append = (entry) =>
    entry.kind === 'approval' && entry.author !== 'system' ? Promise.reject(full) : append(entry)
  await expect(answer(ann)).rejects.toBe(full)
  expect(await verdict).not.toBe('allow')
  expect(await approvals.request(wants('ls'))).toHaveProperty('why')
  expect(log.lines).toContain('a permission could not be asked for')
})

it('a grant for the room expires after 8 hours, and a grant for always does not', async () => {
  const { ask, answer, ann, op, approvals, wants, clock } = await createScene()
  await ask('ls')
  await answer(ann, 'room')
  await ask('pwd')
  await answer(op, 'always')
  clock.advance(8 * HOUR - 1)
  expect(await approvals.request(wants('ls'))).toBe('allow')
  clock.advance(1)
  const { verdict } = await ask('ls')
  await answer(ann, 'denied')
  expect(await verdict).not.toBe('allow')
  clock.advance(10_000 * HOUR)
  expect(await approvals.request(wants('pwd'))).toBe('allow')
})

it('a grant given by an op applies to the requester and not to the op', async () => {
  const { ask, answer, op, approvals, wants, room } = await createScene()
  await ask('ls')
  await answer(op, 'always')
  expect(await approvals.request(wants('ls'))).toBe('allow')
  await room.enter(screenOf(op))
  const { verdict } = await ask('ls', { requester: op })
  await answer(op, 'denied')
  expect(await verdict).not.toBe('allow')
})

it('a request that may be allowed only once needs an admin each time, even if a grant exists', async () => {
  const { ask, answer, ann, op, room, person } = await createScene()
  const root = await person('root', { admin: true })
  await room.enter(screenOf(root))
  await ask('ls')
  await answer(op, 'always')
  const { verdict } = await ask('ls', { onceOnly: true, access: 'network' })
  for (const how of ['room', 'always'] as const)
    await expect(answer(root, how)).rejects.toThrow(
      'only once, because it needs the network or has no sandbox',
    )
  for (const one of [ann, op]) await expect(answer(one, 'once')).rejects.toThrow('only an admin can allow')
  await answer(root, 'once')
  expect(await verdict).toBe('allow')
  const refused = await ask('ls', { onceOnly: true })
  await answer(ann, 'denied')
  expect(await refused.verdict).not.toBe('allow')
})

it('a requester cannot answer their own question with /allow always', async () => {
  const { ask, answer, ann } = await createScene()
  await ask('ls')
  await expect(answer(ann, 'always')).rejects.toThrow('can allow question 1 always; /allow 1 allows it once')
})

it('a grant is refused for network access, with that reason', async () => {
  const { ask, answer, ann, entries } = await createScene()
  await ask('https://x.test/', { access: 'network', target: 'x.test' })
  expect((await entries()).at(-1)!.text.split('\n').slice(-2)).toEqual(['/allow 1 – this once', '/deny 1'])
  await expect(answer(ann, 'always')).rejects.toThrow(
    'this can be allowed only once, because what goes to the network is asked for each time',
  )
})

it('a grant is refused for a guest', async () => {
  const { ask, answer, op, room, ann } = await createScene()
  const guest = { ...ann, id: 'guest:1' as Person['id'], name: 'ann-2', guest: true }
  await room.enter(screenOf(guest))
  await ask('ls', { requester: guest })
  await expect(answer(op, 'always')).rejects.toThrow('only once, because ann-2 is a guest')
})

it('a person has at most a hundred grants in a room', async () => {
  const { ask, answer, ann, op, room, storage, clock } = await createScene()
  const given = { room: room.name, person: ann.id, name: 'ann', tool: 't', by: 'ann', at: clock.now() }
  for (let n = 0; n < 100; n++) await storage.tools.grants.put({ ...given, target: String(n) })
  await ask('ls')
  await expect(answer(op, 'always')).rejects.toThrow('ann has 100 permissions in lobby already')
  await answer(ann, 'once')
})

it('the config rule ops lets only ops allow, and requesters can still deny', async () => {
  const { ask, answer, approvals, room, ann, op, entries } = await createScene({ rules: { execute: 'ops' } })
  const why = 'only an op can allow it, and none is in lobby'
  expect(await (await ask('ls')).verdict).toEqual({ why })
  await room.enter(screenOf(op))
  const first = await ask('ls')
  expect((await entries()).at(-1)).toMatchObject({ verdict: 'asked', answerers: ['op'] })
  expect((await entries()).at(-1)!.text.split('\n').slice(2)).toEqual([
    'an op of this room answers within 2m:',
    '/allow 1 – this once',
    '/allow room 1 – exactly this, in this room, for 8 hours',
    '/allow always 1 – the same, until /perms revoke',
    '/deny 1',
  ])
  expect(approvals.open(room.name)).toMatchObject([{ number: 1, waitsFor: 'an op' }])
  for (const how of ['once', 'room', 'always'] as const)
    await expect(answer(ann, how)).rejects.toThrow('only the owner of lobby, an op or an admin can allow')
  await answer(op, 'once')
  expect(await first.verdict).toBe('allow')
  const second = await ask('ls')
  await answer(ann, 'denied')
  expect(await second.verdict).toEqual({ why: 'denied by ann' })
})

it("the stricter config rule applies if the tool's access and the question's access differ", async () => {
  const { approvals, wants } = await createScene({ rules: { execute: 'nobody' } })
  const asked = wants('curl', { access: 'network', toolAccess: 'execute' })
  expect(await approvals.request(asked)).toEqual({ why: 'nobody may allow execute on this server' })
})

it('the config rule nobody denies all requests, even with --allow or an existing grant', async () => {
  const rules: { execute?: 'nobody' } = {}
  const { ask, answer, op, approvals, wants, entries } = await createScene({ rules })
  await ask('ls')
  await answer(op, 'always')
  rules.execute = 'nobody'
  const why = 'nobody may allow execute on this server'
  expect(await approvals.request(wants('ls'))).toEqual({ why })
  const named = approvals.forScript(new Set(['run_command']))
  expect(await named.request(wants('ls', { requester: op }))).toEqual({ why })
  expect((await entries()).at(-1)).toMatchObject({
    verdict: 'denied',
    text: `denied: ${why} (run_command for op)`,
  })
})

it('a grant from before the config rule ops still applies', async () => {
  const rules: { execute?: 'ops' } = {}
  const { ask, answer, ann, approvals, wants } = await createScene({ rules })
  await ask('ls')
  await answer(ann, 'room')
  rules.execute = 'ops'
  expect(await approvals.request(wants('ls'))).toBe('allow')
})

it('the config rule ops for read requires a question for tools that only read as well', async () => {
  const { ask, answer, op, room, approvals } = await createScene({ rules: { read: 'ops' } })
  expect(approvals.asksToRead()).toBe(true)
  await room.enter(screenOf(op))
  const { verdict } = await ask('{}', { tool: 'calculator', access: 'read' })
  await answer(op)
  expect(await verdict).toBe('allow')
})

/** What somebody can do who may not use --allow. */
const NO_SCRIPT = 'no script of ann can allow it in lobby; in a session ann is asked'

it("an op's script may use only the tools named with --allow", async () => {
  const { approvals, wants, op, entries } = await createScene()
  const named = approvals.forScript(new Set(['run_command']))
  expect(await named.request(wants('ls', { requester: op }))).toBe('allow')
  expect(await named.request(wants('ls', { requester: op, tool: 'write_file' }))).toEqual({
    why: 'a script must name it: --allow write_file',
  })
  expect(await named.request(wants('ls'))).toEqual({ why: NO_SCRIPT })
  expect((await entries()).map((entry) => entry.text)).toEqual([
    'allowed with --allow (run_command for op)',
    'denied: a script must name it: --allow write_file (write_file for op)',
    `denied: ${NO_SCRIPT} (run_command for ann)`,
  ])
})

it('a grant does not apply to a script without --allow', async () => {
  const { approvals, wants, ask, answer, op } = await createScene()
  await ask('ls')
  await answer(op, 'always')
  expect(await approvals.forScript(new Set()).request(wants('ls'))).toEqual({ why: NO_SCRIPT })
})

it('a run uses only grants given to its own routine, and these end with the routine', async () => {
  const { approvals, ann, ask, answer, wants, entries } = await createScene()
  const routine = { id: 'r3', number: 3 }
  const { verdict: general } = await ask('x')
  await answer(ann, 'room')
  expect(await general).toBe('allow')
  const { verdict } = await ask('x', { routine })
  expect((await entries()).at(-1)!.text).toContain('may @qwen, for ann (routine 3), use run_command')
  await answer(ann, 'room')
  expect(await verdict).toBe('allow')
  expect(await approvals.request(wants('x', { routine }))).toBe('allow')
  const { verdict: other } = await ask('x', { routine: { id: 'r4', number: 4 } })
  await answer(ann, 'denied')
  expect(await other).toEqual({ why: 'denied by ann' })
  await approvals.endRoutine('r3')
  const { verdict: later } = await ask('x', { routine })
  await answer(ann, 'denied')
  expect(await later).toEqual({ why: 'denied by ann' })
  expect(await approvals.request(wants('x'))).toBe('allow')
})

it('a request of a script can be allowed only once', async () => {
  const { ann, ask, answer } = await createScene()
  const { verdict } = await ask('x', { routine: { number: 0 } })
  await expect(answer(ann, 'room')).rejects.toThrow(
    "this can be allowed only once, because the room's script asks",
  )
  await answer(ann, 'once')
  expect(await verdict).toBe('allow')
})

it("an op answers a routine's question while its person is away; without an op it is denied", async () => {
  const { room, op, screens, ask, answer, entries } = await createScene()
  const routine = { id: 'r3', number: 3 }
  await room.leave(screens[0])
  const { verdict: denied } = await ask('x', { routine })
  expect(await denied).toEqual({ why: 'only ann or an op can allow it, and none is in lobby' })
  expect((await entries()).at(-1)!.text).toMatch(/^denied: .*\(run_command for ann \(routine 3\)\)$/)
  await room.enter(screenOf(op))
  const { verdict } = await ask('x', { routine })
  await answer(op)
  expect(await verdict).toBe('allow')
})
