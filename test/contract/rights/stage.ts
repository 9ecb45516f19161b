import type { Person, PersonId } from '../../../src/words/person.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { guide } from '../../../src/models/guide.ts'
import { MODEL_LIMITS } from '../../../src/models/provider.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { createCommandWorldWith, type Ran } from '../../support/commands/command-world.ts'
import { raiseQuestion, touch } from '../../support/commands/raise-question.ts'

/** Who somebody is to a room. A stranger has no session and so no column: no verb is theirs. */
export const ROLES = [
  'guest',
  'visitor',
  'invited',
  'member',
  'op',
  'owner',
  'admin',
  'muted',
  'banned',
] as const
export type Role = (typeof ROLES)[number]

/** What kind of room it is. An archived one was public. */
export const ROOM_KINDS = ['public', 'private', 'archived'] as const
export type RoomKind = (typeof ROOM_KINDS)[number]

/** A room of one kind in which everything has happened that a verb can be about, and somebody of each role. */
export interface RightsStage extends AsyncDisposable {
  /** Runs a line as a script does, with this on its standard input; `ROOM` and `NAME` in it are the room. */
  run(role: Role, line: string, stdin?: string): Promise<Ran>
  /** Entries that were recorded so far, in whatever room. */
  entries(): number
}

/** People beside those of the roles, for verbs to be done to. */
const OTHERS = { otto: 'op', mia: 'muted', bea: 'banned', ida: 'invited' } as const

export async function createRightsStage(kind: RoomKind): Promise<RightsStage> {
  const second = {
    settings: sampleConfig({ name: 'guide', backend: 'guide' }),
    adapter: guide.create({ name: 'guide', backend: 'guide', model: 'guide' }, MODEL_LIMITS),
  }
  const world = await createCommandWorldWith({ tools: [touch], more: [second] })
  let entries = 0
  world.turnWorld.chatParts.tap(() => void (entries += 1))
  const room = kind === 'private' ? 'den' : 'hall'
  const people: Record<Role, Person> = {
    guest: { id: 'guest:9' as PersonId, name: 'gus-2', admin: false, guest: true },
    visitor: await world.turnWorld.chatParts.person('vera'),
    invited: await world.turnWorld.chatParts.person('ivy'),
    member: await world.turnWorld.chatParts.person('mel'),
    op: await world.turnWorld.chatParts.person('olga'),
    owner: world.ann,
    admin: world.root,
    muted: await world.turnWorld.chatParts.person('max'),
    banned: await world.turnWorld.chatParts.person('bob2'),
  }
  const must = async (who: Person, line: string): Promise<void> => {
    const ran = await world.exec(who, line)
    if (ran.status !== 0) throw new Error(`${who.name}: ${line}: ${ran.err.join(' ')}`)
  }
  await must(world.ann, `portal ${room} down lobby`)
  await must(world.ann, `remember ${room} tea is at four`)
  for (const [role, person] of Object.entries(people)) await take(role as Role, person)
  const tom = await world.turnWorld.chatParts.person('tom')
  await take('member', tom)
  for (const [name, role] of Object.entries(OTHERS))
    await take(role, await world.turnWorld.chatParts.person(name))
  await settle()

  async function take(role: Role, person: Person): Promise<void> {
    if (role === 'guest' || role === 'visitor' || role === 'owner' || role === 'admin') return
    if (kind === 'private') await must(world.ann, `invite ${room} ${person.name}`)
    if (role === 'invited') return
    await must(person, `join ${room}`)
    await must(person, `say ${room} a line of ${person.name}`)
    if (role === 'op') await must(world.ann, `op ${room} ${person.name}`)
    if (role === 'muted') await must(world.ann, `mute ${room} ${person.name}`)
    if (role === 'banned') await must(world.ann, `ban --room ${room} ${person.name}`)
  }

  /** What turns, routines, questions, messages and archives are about. */
  async function settle(): Promise<void> {
    const { chatParts } = world.turnWorld
    await must(world.root, 'ban 10.9.8.0/24')
    for (const who of [tom, world.ann, people.op, people.member]) await must(who, `ask ${room} @qwen tools`)
    await must(world.ann, `every ${room} day 09:00 lunch`)
    const held = await chatParts.rooms.anyRoom(room as RoomName)
    const question = await raiseQuestion(world, tom, held!, 'the-file')
    if (kind !== 'archived') return
    await must(world.ann, `archive ${room}`)
    // Archiving ends the call a little later.
    await question.result
  }

  return {
    run: (role, line, stdin) => world.exec(people[role], line.replaceAll(/ROOM|NAME/g, room), stdin),
    entries: () => entries,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
