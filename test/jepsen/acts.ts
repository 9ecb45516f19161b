import type { Client, Doing } from './client.ts'
import type { Act } from './history.ts'

/** Something that this client may do now. */
export const acts = ({ name, random, world }: Client): Doing =>
  random.weighted<Doing>([
    [40, say],
    [
      12,
      (client) => run(client, 'say', (room, mark) => `say ${room} ${mark} from a script`, client.newMark()),
    ],
    [5, (client) => line(client, 'me', (mark) => `/me ${mark} waves`)],
    [6, (client) => line(client, 'edit', (mark) => `/edit ${mark} is better`)],
    [3, (client) => run(client, 'retract', (room) => `retract ${room}`)],
    [3, (client) => run(client, 'react', (room) => `react ${room} 👍`)],
    [12, (client) => goTo(client, 'join', random.pick([...world.rooms]))],
    [world.rooms.size < MAX_ROOMS ? 1 : 0, create],
    [5, (client) => line(client, 'ask', (mark) => `@qwen ${mark} go on`)],
    [3, (client) => run(client, 'stop', (room) => `stop ${room}`)],
    [6, who],
    ...(name === ADMIN ? ([[10, ban]] as const) : []),
  ])

export const ADMIN = 'c0'

const MAX_ROOMS = 5

/** Says this; the act is done once its own screen shows it. */
export const say: Doing = (client) => line(client, 'say', (mark) => `${mark} is what I say`)

async function line(client: Client, kind: Act['kind'], text: (mark: string) => string): Promise<void> {
  if (!client.connection) return
  const mark = client.newMark()
  await client.note({ kind, room: client.room, mark }, async (act, { visit, type, shows }) => {
    const from = visit.screen.length
    type(text(mark))
    const own = `(?:${client.name}(?: \\(edited\\))?: |\\* ${client.name} )(?:@qwen )?${mark}\\b.*`
    judge(act, await shows(new RegExp(`^(?:${own}|! .*)$`, 'm'), from))
  })
}

function judge(act: Act, found: RegExpExecArray | undefined): void {
  if (!found) return
  act.detail = found[0]
  act.outcome = found[0].startsWith('!') ? 'refused' : 'done'
}

async function run(
  client: Client,
  kind: Act['kind'],
  words: (room: string, mark: string) => string,
  mark = '',
  room = client.room,
): Promise<Act | undefined> {
  let noted: Act | undefined
  await client.note({ kind, room, mark }, async (act, connection) => {
    noted = act
    const answer = await connection.run(words(room, mark))
    if (!answer) return
    act.outcome = answer.status === 0 ? 'done' : 'refused'
    act.detail = answer.text.trim()
  })
  return noted
}

async function create(client: Client): Promise<void> {
  const room = `room${client.newMark()}`
  client.world.rooms.add(room)
  await goTo(client, 'create', room)
}

async function goTo(client: Client, kind: 'join' | 'create', room: string): Promise<void> {
  if (room === client.room) return
  const { history } = client.world
  await client.note({ kind, room, mark: '' }, async (act, { visit, type, shows, leave }) => {
    const from = visit.screen.length
    type(`/${kind} ${room}`)
    const found = await shows(new RegExp(`^(?:-- ${room}|! .*)$`, 'm'), from)
    judge(act, found)
    // If it is not known in which room it is, it begins anew.
    if (!found) return await leave()
    if (act.outcome !== 'done') return
    const last = visit.stays.at(-1)
    if (last) last.until = history.now()
    visit.stays.push({ room, askedAt: act.begunAt, from: history.now(), until: visit.endedAt })
  })
}

async function who(client: Client): Promise<void> {
  const { history } = client.world
  const act = await run(client, 'who', (room) => `who ${room} --json`)
  if (act?.outcome !== 'done') return
  const { room, machine, begunAt: askedAt, endedAt: answeredAt } = act
  history.rolls.push({ room, machine, names: namesIn(act.detail), askedAt, answeredAt })
}

/** The people in what `who --json` prints. */
export const namesIn = (json: string): readonly string[] =>
  (JSON.parse(json) as { readonly people: readonly { readonly name: string }[] }).people.map(
    ({ name }) => name,
  )

async function ban(client: Client): Promise<void> {
  const whom = client.random.pick(client.world.victims)
  const last = client.world.history.acts.findLast(({ mark, kind }) => mark === whom && /ban/.test(kind))
  await command(client, last?.kind === 'ban' ? 'unban' : 'ban', whom)
}

/** Bans somebody from all servers, or takes that back. */
export const command = (client: Client, kind: 'ban' | 'unban', whom: string): Promise<unknown> =>
  run(client, kind, () => `${kind} ${whom}`, whom, '')
