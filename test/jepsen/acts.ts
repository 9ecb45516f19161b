import type { Client, Doing } from './client.ts'
import type { Act } from './history.ts'

/** Something that this client may do now. */
export const acts = ({ name, random, world }: Client): Doing =>
  random.weighted<Doing>([
    [40, say],
    [12, sayFromScript],
    [5, wave],
    [6, edit],
    [3, (client) => fromScript(client, 'retract', 'retract ROOM')],
    [3, (client) => fromScript(client, 'react', 'react ROOM 👍')],
    [12, join],
    [world.rooms.size < MAX_ROOMS ? 1 : 0, create],
    [5, ask],
    [3, (client) => fromScript(client, 'stop', 'stop ROOM')],
    [6, who],
    ...(name === ADMIN ? ([[10, ban]] as const) : []),
  ])

/** Who may ban. */
export const ADMIN = 'c0'

const MAX_ROOMS = 5

/** Says this; the act is done once its own screen shows it. */
export const say: Doing = (client) => line(client, 'say', (mark) => `${mark} is what I say`)
const wave: Doing = (client) => line(client, 'me', (mark) => `/me ${mark} waves`)
const edit: Doing = (client) => line(client, 'edit', (mark) => `/edit ${mark} is better`)
const ask: Doing = (client) => line(client, 'ask', (mark) => `@qwen ${mark} go on`)

const roomOf = (client: Client): string => client.connection()?.visit.stays.at(-1)?.room ?? ''

async function line(client: Client, kind: Act['kind'], text: (mark: string) => string): Promise<void> {
  const connection = client.connection()
  if (!connection) return
  const mark = client.newMark()
  await client.note({ kind, room: roomOf(client), mark }, async (act) => {
    const from = connection.visit.screen.length
    connection.type(text(mark))
    const own = `(?:${client.name}(?: \\(edited\\))?: |\\* ${client.name} )(?:@qwen )?${mark}\\b.*`
    judge(act, await connection.shows(new RegExp(`^(?:${own}|! .*)$`, 'm'), from))
  })
}

function judge(act: Act, found: RegExpExecArray | undefined): void {
  if (!found) return
  act.detail = found[0]
  act.outcome = found[0].startsWith('!') ? 'refused' : 'done'
}

const sayFromScript: Doing = (client) =>
  fromScript(client, 'say', 'say ROOM MARK from a script', client.newMark())

async function fromScript(client: Client, kind: Act['kind'], words: string, mark = ''): Promise<void> {
  const connection = client.connection()
  if (!connection) return
  const room = roomOf(client)
  await client.note({ kind, room, mark }, async (act) => {
    const answer = await connection.run(words.replace('ROOM', room).replace('MARK', mark))
    if (!answer) return
    act.outcome = answer.status === 0 ? 'done' : 'refused'
    act.detail = answer.text.trim()
  })
}

const join: Doing = (client) => goTo(client, 'join', client.random.pick([...client.world.rooms]))

function create(client: Client): Promise<void> {
  const room = `room${client.newMark()}`
  client.world.rooms.add(room)
  return goTo(client, 'create', room)
}

async function goTo(client: Client, kind: 'join' | 'create', room: string): Promise<void> {
  const connection = client.connection()
  if (!connection || room === roomOf(client)) return
  const { visit } = connection
  await client.note({ kind, room, mark: '' }, async (act) => {
    const from = visit.screen.length
    connection.type(`/${kind} ${room}`)
    const found = await connection.shows(new RegExp(`^(?:-- ${room}|! .*)$`, 'm'), from)
    judge(act, found)
    // Where it is not known in which room it is, it begins anew.
    if (!found) return await connection.leave()
    if (act.outcome !== 'done') return
    const last = visit.stays.at(-1)
    if (last) last.until = client.world.history.now()
    visit.stays.push({ room, askedAt: act.begunAt, from: client.world.history.now(), until: visit.endedAt })
  })
}

async function who(client: Client): Promise<void> {
  const connection = client.connection()
  if (!connection) return
  const { history } = client.world
  const room = roomOf(client)
  await client.note({ kind: 'who', room, mark: '' }, async (act) => {
    const answer = await connection.run(`who ${room} --json`)
    if (answer?.status !== 0) return
    act.outcome = 'done'
    act.detail = answer.text.trim()
    history.rolls.push({
      ...{ room, machine: connection.machine.name, names: namesIn(answer.text) },
      ...{ askedAt: act.begunAt, answeredAt: history.now() },
    })
  })
}

/** The people in what `who --json` prints. */
export const namesIn = (json: string): readonly string[] =>
  (JSON.parse(json) as { readonly people: readonly { readonly name: string }[] }).people.map(
    ({ name }) => name,
  )

async function ban(client: Client): Promise<void> {
  const whom = client.random.pick(client.world.victims)
  const last = client.world.history.acts.findLast(({ mark, kind }) => mark === whom && /ban/.test(kind))
  const kind = last?.kind === 'ban' ? 'unban' : 'ban'
  await command(client, kind, whom)
}

/** Bans somebody from all servers, or takes that back. */
export async function command(client: Client, kind: 'ban' | 'unban', whom: string): Promise<void> {
  const connection = client.connection()
  if (!connection) return
  await client.note({ kind, room: '', mark: whom }, async (act) => {
    const answer = await connection.run(`${kind} ${whom}`)
    if (!answer) return
    act.outcome = answer.status === 0 ? 'done' : 'refused'
    act.detail = answer.text.trim()
  })
}
