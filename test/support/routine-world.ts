import { createByteQuota, createRateLimiter } from '../../src/chat/limits.ts'
import type { LanguageModel } from '../../src/wrap/loop/model.ts'
import { Approvals } from '../../src/turns/approvals/approvals.ts'
import { Speech } from '../../src/commands/speech.ts'
import { createTokenQuotas } from '../../src/turns/billing.ts'
import { RoutineEngine } from '../../src/turns/routines/engine.ts'
import type { Routine } from '../../src/turns/routines/ports.ts'
import type { RoutinePolicy } from '../../src/turns/routines/rights.ts'
import type { RoutineDraft } from '../../src/turns/routines/service.ts'
import type { Entry } from '../../src/words/entry.ts'
import { REQUESTERS_ALLOW } from './chat-parts.ts'
import { talkOver } from './talk.ts'
import { createTurnWorld, type TurnWorld, type WorldOptions } from './turn-world.ts'
import { createWaiting } from './waiting.ts'

export type RoutineWorld = Awaited<ReturnType<typeof createRoutineWorld>>

/** Routines over real rooms and turns, with a clock that the test moves; only the model is scripted. */
export const createRoutineWorld = async (model: LanguageModel, options: WorldOptions = {}) =>
  await addRoutines(await createTurnWorld(model, options))

/** Routines in the rooms of a world, which is closed with them. */
export async function addRoutines(world: TurnWorld) {
  const { chatParts, turns, room, ann } = world
  const { storage, rooms, sanctions, clock, log, nextId, peers } = chatParts
  const talk = await talkOver(chatParts)
  const approvals = new Approvals({
    ...{ room: (name) => rooms.anyRoom(name), grants: storage.tools.grants, questions: peers.questions },
    ...{ limits: { approvals_per_room: 8, approvals_per_person: 4 }, clock, log },
    rules: () => REQUESTERS_ALLOW,
  })
  const messageLimits = { message_chars: 2_000, paste_bytes: 2_000, message_lines: 50 }
  const speech = new Speech(turns, messageLimits, talk.away, talk.findPerson, approvals)
  const limits = {
    ...messageLimits,
    ...{ routines_per_person: 20, routines_per_room: 50, routine_runs_per_hour: 12, turns_per_room: 2 },
    ...{ routine_tokens_day: 0, routines_tokens_day_server: 0 },
    ...{ tokens_per_person_day: 0, tokens_per_room_day: 0 },
  }
  const policy: { -readonly [Key in keyof RoutinePolicy]: RoutinePolicy[Key] } = {
    ...{ enabled: true, allow: {}, isOpen: false },
  }
  const paceLimits = { rate_burst: 100, rate_per_s: 1 }
  const outcomes: string[] = []
  const { changed, until } = createWaiting()
  const entries: Entry[] = []
  const rung: string[] = []

  /** A server of this database. */
  function server(name: string): RoutineEngine {
    return new RoutineEngine({
      ...{ store: storage.models.routines, turns: storage.models.turns, tokens: storage.chat.tokens },
      ...{ people: storage.chat.people, rooms, sanctions, limits, clock, log, nextId, server: name },
      pace: createRateLimiter({ limits: paceLimits, clock, wait: async () => {} }),
      isConfigAdmin: () => false,
      members: (of) => storage.chat.rooms.members(of),
      models: () => turns.names(),
      policy: () => policy,
      running: (of) => turns.running(of),
      takeBytes: createByteQuota({ bytes_per_person_day: 0 }, clock).take,
      checkQuotas: createTokenQuotas(storage.models.charges, clock, limits),
      say: async (to, person, text, routine) => [
        ...(await speech.say(to, person, text, { routine })).turns.values(),
      ],
      ask: (mention) => turns.start(mention),
      endGrants: (id) => approvals.endRoutine(id),
      ring: async (_person, text) => {
        rung.push(text)
        changed()
      },
      count: (outcome) => {
        outcomes.push(outcome)
        changed()
      },
    })
  }

  const engine = server('one')
  chatParts.tap(engine.onEntry)
  world.hooks.speak = engine.speakForScript
  room.listen({
    deliver: (entry) => {
      entries.push(entry)
      changed()
    },
  })
  const draft = (change: Partial<RoutineDraft>): RoutineDraft => ({
    ...{
      room,
      text: '@qwen sum up',
      condition: { kind: 'once', at: clock.now() + 60_000 },
    },
    ...{ zone: 'UTC', scope: null, tokens: null, until: null, runs: null },
    ...change,
  })
  return {
    ...{
      world,
      engine,
      server,
      policy,
      limits,
      paceLimits,
      clock,
      room,
      ann,
      speech,
      sanctions,
      storage,
      rung,
      outcomes,
    },
    ...{ entries, draft, person: chatParts.person, until },
    routines: engine.routines,
    make: (change: Partial<RoutineDraft> = {}, by = ann): Promise<Routine> =>
      engine.routines.make(by, draft(change)),
    /** Lines that routines said. */
    said: (): readonly string[] =>
      entries.flatMap((entry) =>
        entry.kind === 'message' && entry.routine !== undefined ? [entry.text] : [],
      ),
    texts: (): readonly string[] => entries.map((entry) => `${entry.kind}: ${entry.text}`),
    /** Resolves once a room heard an entry with this text. */
    heard: (text: string): Promise<unknown> =>
      until(() => entries.some((entry) => entry.text.includes(text))),
    stored: async ({ id }: Routine): Promise<Routine> => {
      const found = await storage.models.routines.byId(id)
      if (!found) throw new Error('the routine is gone')
      return found
    },
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}
