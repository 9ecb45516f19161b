import { observeBus } from '../../src/visits/tapped-bus.ts'
import { Rooms } from '../../src/chat/rooms.ts'
import type { Entry } from '../../src/words/entry.ts'
import { createInvitationNotices, type InvitationNotices } from '../../src/chat/personal/invitations.ts'
import { Sanctions } from '../../src/chat/moderation/sanctions.ts'
import { createLocalBus } from '../../src/chat/local-bus.ts'
import { createLocalPeers } from '../../src/chat/local-peers.ts'
import type { Peers } from '../../src/chat/peers.ts'
import type { Fingerprint, Person, PersonId } from '../../src/words/person.ts'
import type { Participant } from '../../src/chat/ports.ts'
import type { AllowRules } from '../../src/words/tool-words.ts'
import type { Log } from '../../src/base/environment.ts'
import { createHookScripts } from '../../src/turns/hook-scripts.ts'
import { createIds } from '../../src/base/ids.ts'
import { skeleton } from '../../src/base/text/names.ts'
import { openInMemory } from './storage.ts'

/** As on a server that strangers cannot enter. */
export const REQUESTERS_ALLOW: AllowRules = {
  read: 'requester',
  write: 'requester',
  execute: 'requester',
  network: 'requester',
}

/** A clock that a test moves. */
export function handClock(start = Date.UTC(2026, 0, 1)) {
  let passed = 0
  let set = start
  let alarms: { at: number; run: () => void }[] = []
  return {
    now: () => set + passed,
    monotonic: () => passed,
    later: (ms: number, run: () => void) => void alarms.push({ at: passed + ms, run }),
    advance(ms: number) {
      passed += ms
      const due = alarms.filter(({ at }) => at <= passed)
      alarms = alarms.filter(({ at }) => at > passed)
      for (const { run } of due) run()
    },
    /** Sets the wall clock forward, or back; no time passes. */
    step: (ms: number) => void (set += ms),
  }
}

export function memoryLog(): Log & { readonly lines: string[] } {
  const lines: string[] = []
  const keep = (_facts: object, text: string): void => void lines.push(text)
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}

/** Rooms and people over a store in memory, without any server. */
export type ChatParts = Awaited<ReturnType<typeof createChatParts>>

export async function createChatParts(changed: Partial<Peers> = {}) {
  const opened = await openInMemory()
  const scripts = createHookScripts(opened.prompts.scripts)
  const storage = { ...opened, prompts: { ...opened.prompts, scripts } }
  const clock = handClock()
  const log = memoryLog()
  const nextId = createIds(clock)
  const peers = { ...createLocalPeers(), ...changed }
  const bus = observeBus(createLocalBus(log))
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  const parts = {
    sanctions,
    entries: storage.chat.entries,
    rooms: storage.chat.rooms,
    people: storage.chat.people,
    bus,
    peers,
    clock,
    nextId,
    log,
  }
  return {
    storage,
    peers,
    sanctions,
    /** Gives each entry to a listener, as the server does for hooks. */
    tap: bus.tap,
    rooms: new Rooms(parts, { rooms_per_person: 3, members_per_room: 2000, presence_per_min: 20 }),
    clock,
    log,
    nextId,
    async person(name: string, { admin = false }: { readonly admin?: boolean } = {}): Promise<Person> {
      const person: Person = { id: `person-${name}` as PersonId, name, admin, guest: false }
      await storage.chat.people.register(person, skeleton(name), `SHA256:${name}` as Fingerprint, clock.now())
      return person
    },
  }
}

/** Somebody who writes down what is delivered. */
export function screenOf(
  person: Person,
): Participant & { readonly seen: Entry[]; readonly texts: () => string[] } {
  const seen: Entry[] = []
  return {
    person,
    seen,
    texts: () => seen.map((entry) => entry.text),
    deliver: (entry) => void seen.push(entry),
  }
}

export const invitationsIn = ({ rooms, storage, peers, clock, log }: ChatParts): InvitationNotices =>
  createInvitationNotices({
    store: storage.chat.invitations,
    rooms,
    peers,
    clock,
    log,
  })
