import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, createModelStageHere, type ModelStage } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'
import { createEmulator } from '../support/terminal.ts'
import { openRecorded } from '../screens/recorded-terminal.ts'

/** People here are faster than people. */
const config = `
[server]
access = "open"
[limits]
rate_burst = 1000
rate_per_s = 1000
`

const stage = await forAllTests(createStageHere({ config, isShared: true }))

/** What is seen of all that a session has printed. */
async function screenOf(session: SshSession): Promise<readonly string[]> {
  const emulator = createEmulator()
  await emulator.write(session.output())
  return emulator.all()
}

/** Types, and waits for what comes after. */
async function type(session: SshSession, keys: string, seen: RegExp): Promise<void> {
  const from = session.output().length
  session.write(keys)
  await session.waitFor(seen, from)
}

/** Types, and waits until that stands on the screen: what is typed is drawn in as few bytes as it takes. */
async function typeUntilShown(session: SshSession, keys: string, row: string): Promise<void> {
  session.write(keys)
  for (;;) {
    const seen = session.output().length
    if ((await screenOf(session)).includes(row)) return
    await session.waitFor(/[^]/, seen)
  }
}

const READY = /\/help lists the commands/

test('the first screen shows the room, its people and a hint to /claim until an admin exists', async () => {
  await using server = await createStageHere({ config, isShared: true })
  await using ann = await server.open('ann', '-tt')
  await ann.waitFor(READY)
  await ann.waitFor('/claim CODE')
  const first = await screenOf(ann)
  const top = first.findIndex((row) => row.startsWith('── lobby ──'))
  expect(first.slice(top + 1, top + 4)).toEqual([
    '-- nobody else is here now',
    '-- type to speak; @guide shows you around; /help lists the commands; nobody is',
    '  admin yet: /claim CODE',
  ])
  await server.claim('ann')
  await server.as('ann', ['topic', 'lobby', 'the', 'release'])
  await using bob = await server.open('bob', '-tt')
  await bob.waitFor(READY)
  const rows = await screenOf(bob)
  const at = rows.findIndex((row) => row.startsWith('── lobby · the release ──'))
  expect(rows.slice(at + 1, at + 3)).toEqual([
    '-- here: ann and you',
    '-- type to speak; @guide shows you around; /help lists the commands',
  ])
})

/**
 * What people try who come from IRC, Slack, Discord, ssh-chat, a shell or a coding agent: each does what they expect, or is
 * answered with one line that says what to type.
 */
const THINGS: readonly (readonly [typed: string, seen: RegExp])[] = [
  ['hello everybody', /newt:\S* hello everybody/],
  ['help', /that was said in the room; \/help lists the commands/],
  ['/help', /\/help GROUP, COMMAND, keys or WORDS tells more/],
  ['/h', /\/help GROUP, COMMAND, keys or WORDS tells more/],
  ['/?', /\/help GROUP, COMMAND, keys or WORDS tells more/],
  ['/help keys', /Ctrl-R +look for an older line/],
  ['/help speech', /\/msg NAME TEXT… {2}e\.g\. \/msg bob/],
  ['/help private room', /\/invite NAME/],
  ['/man join', /such as: \/join den/],
  ['@guide', /I am no language model; I show you this place/],
  ['@guide tools', /Tools in the request I was given/],
  ['@guied hello', /no model or person called guied; did you mean @guide\?/],
  ['@zzz hello', /no model or person called zzz; \/who lists those who are here/],
  ['guide: are you there?', /write @guide, not guide/],
  ['/who', /models: @guide/],
  ['/names', /models: @guide/],
  ['/users', /models: @guide/],
  ['/whois newt', /there is no command \/whois; \/who lists who is here/],
  ['ls', /that was said in the room; \/rooms lists the rooms/],
  ['/list', /lobby .*1 here|lobby\s/],
  ['/join #lobby', /there is no room called #lobby; rooms have no #; did you mean lobby\?/],
  ['/create #den', /"#den" cannot be a room: rooms have no #; did you mean den\?/],
  ['/theme dark', /there is no command \/theme; \/set theme dark, light, mono or auto/],
  ['/join attic', /there is no room called attic; see \/rooms, or make it with \/create/],
  ['/create attic', /made attic, which is yours: everybody may join/],
  ['/invites', /no invite code is open; \/invites new/],
  ['/invites new', /ssh -p \d+ NAME\+[A-Z\d-]+@(127\.|::1)/],
  ['/topic where old things are', /newt set the topic: where old things are/],
  ['/topic --json', /\{"room":"attic","topic":"where old things are"\}/],
  ['/kv list', /no key is set/],
  ['/kv set mood happy', /newt set mood to "happy"/],
  ['/kv mood', /happy/],
  ['/kv get mood', /happy/],
  ['/kv delete mood', /newt removed the key mood/],
  ['/kv rm', /rm takes one key, as in: kv rm colour/],
  ['/topic --jsno', /unknown flag --jsno; did you mean --json\?/],
  ['/tools grpe', /grpe matches no tool; did you mean grep\?; the scope was not changed/],
  ['/tools Gr* !Grep', /leaves no tool; case counts/],
  ['/part', /[-─]\S* lobby/],
  ['/j attic', /[-─]\S* attic · where old things are/],
  ['/leave', /[-─]\S* lobby/],
  ['/me waves', /\* newt\S* waves/],
  ['/msg nobody-here psst', /there is nobody called nobody-here; \/who lists/],
  ['/w nobody-here psst', /there is nobody called nobody-here; \/who lists/],
  ['/dm nobody-here psst', /there is nobody called nobody-here; \/who lists/],
  ['/away lunch', /you are away, until you say something/],
  ['/back', /there is no command \/back; say anything; it ends \/away/],
  ['/ignore', /you ignore nobody/],
  ['/shrug', /just type it/],
  ['/register', /your key is your account/],
  ['/login', /your key is your login/],
  ['/sudo', /\/claim CODE makes the first admin/],
  ['/undo', /\/retract takes your last line back/],
  ['/nick', /nick: NAME is missing[^]*usage: \/nick NAME/],
  ['/dm', /dm: NAME is missing[^]*usage: \/dm NAME TEXT/],
  ['/help ask', /\/ask \[--json\] MODEL/],
  ['/context', /\/wrap @MODEL shows what the model would be sent/],
  ['/cost', /\/usage shows tokens and prices/],
  ['/yes', /\/allow lets a tool do what it asks/],
  ['/qiut', /unknown command \/qiut; did you mean \/quit\?/],
  ['/set history', /history on \(or off\)/],
  ['/', /which command\? \/help lists them/],
  ['//etc is full', /(?:newt:|·)\S* \/etc is full/],
  ['exit now', /that was said in the room; \/quit leaves/],
  ['cd ..', /that was said in the room; \/join NAME goes to a room/],
  ['sudo su', /this is no shell: \/help lists the commands/],
  ['!help', /a command begins with a slash, as in \/help/],
  ['.help', /a command begins with a slash, as in \/help/],
  ['\\help', /a command begins with a slash, as in \/help/],
  ['@', /@NAME in a message asks a model/],
  ['@all hello', /only ops, the owner and admins ring everybody/],
  ['bye', /(?:newt:|·)\S* bye/],
  ['/help @guide', /type @guide help, without \/help/],
  ['/ping', /\/who lists who is here; @guide hello tries a model/],
  ['/whois', /\/who lists who is here, ops and admins marked/],
  ['/color', /\/set color blue paints your name/],
  ['/set bell on', /bell is mention/],
  ['/set timestamps on', /timestamps is minutes/],
  ['/set dark', /there is no option dark/],
  [':wq', /that was said in the room; \/quit leaves/],
  ['#lobby', /(?:newt:|·)\S* #lobby/],
  [' /help', /the line has a space before its slash/],
  ['/clear', /\u001b\[2J/],
  ['exit', /that was said in the room; \/quit leaves/],
  ['/nick newton', /you are newton now; nobody else can take newt/],
]

test('eighty first inputs of newcomers get the expected answer or hint', async () => {
  expect(THINGS.length).toBeGreaterThanOrEqual(80)
  await using newt = await stage.open('newt', '-tt')
  await newt.waitFor(READY)
  for (const [typed, seen] of THINGS) await type(newt, `${typed}\r`, seen)
  const rows = await screenOf(newt)
  for (const command of ['> /who', '> /part', '> /nick newton']) expect(rows).toContain(command)
  expect(rows).not.toContain('> /clear')
  await type(newt, '\u0003', /\^D or \/quit leaves/)
  await type(newt, '/jo\t', /\/join /)
  await typeUntilShown(newt, '\u0015/set bell m\t', '> /set bell mention')
  newt.write('\u0015\u0004')
  expect(await newt.exit).toBe(0)
})

test.each([80, 40])('a slash and Tab list commands in rows of one line at %i columns', async (columns) => {
  const target = {
    user: 'newt',
    port: stage.server.port,
    key: await stage.home.key('newt'),
    options: ['-tt'],
  }
  await using newt = openRecorded(target, { columns, rows: 24 })
  await newt.shows('nobody else is here')
  newt.type('/\t')
  await newt.shows('… ')
  await newt.settles()
  const rows = newt.screen().map((row) =>
    row
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
  const commands = rows.filter((row) => /^\/[a-z-]+ {2,}\S/.test(row))
  expect(commands).toHaveLength(20)
  expect(rows.at(-3)).toMatch(/^… \d+ more; type a letter, then Tab$/)
  newt.type('j\t')
  await newt.shows('> /join ')
  newt.type('\u0015\u0004')
})

test.each(['/q', '/quit', '/exit', '/bye', '/logout'])('%s ends the session with status 0', async (typed) => {
  await using session = await stage.open('leaver', '-tt')
  await session.waitFor(READY)
  await type(session, `${typed}\r`, /bye/)
  expect(await session.exit).toBe(0)
})

test('the input history survives a restart for its person only, without claim codes', async () => {
  await using server = await createStageHere({ config, isShared: true })
  await using first = await server.open('ann', '-tt')
  await first.waitFor(READY)
  await type(first, 'the heron stands\r', /ann:\S* the heron stands/)
  await type(first, '/claim WXYZ-2345\r', /that claim code is wrong/)
  first.write('\u0004')
  await first.exit
  await server.restart('SIGTERM')
  await using second = await server.open('ann', '-tt')
  await second.waitFor(READY)
  await type(second, '\u001b[A', /the heron stands/)
  await typeUntilShown(second, '\u0015\u0012her', 'search "her": the heron stands')
  second.write('\u0007\u0004')
  await second.exit
  await using bob = await server.open('bob', '-tt')
  await bob.waitFor(READY)
  await typeUntilShown(bob, '\u0012her', 'no line has "her":')
  bob.write('\u0007\u0004')
  await bob.exit
  await using third = await server.open('ann', '-tt')
  await third.waitFor(READY)
  await type(third, '/set history off\r', /history is off/)
  third.write('\u0004')
  await third.exit
  await using last = await server.open('ann', '-tt')
  await last.waitFor(READY)
  await typeUntilShown(last, '\u0012her', 'no line has "her":')
})

test('an unsent draft of a broken connection is offered at the next login to its person only', async () => {
  await using server = await createStageHere({ config, isShared: true })
  await using first = await server.open('ann', '-tt')
  await first.waitFor(READY)
  await type(first, 'half a thou', /thou/)
  first.child.kill('SIGKILL')
  await first.exit
  for (;;) {
    const who = await server.as('bob', ['who', 'lobby', '--json'])
    if (!who.stdout.includes('"ann"')) break
  }
  await using bob = await server.open('bob', '-tt')
  await bob.waitFor(READY)
  expect(bob.output()).not.toContain('brings your draft back')
  await using second = await server.open('ann', '-tt')
  await second.waitFor(/↑ brings your draft back/)
  await type(second, '\u001b[A', /half a thou/)
  await type(second, 'ght\r', /ann:\S* half a thought/)
  second.write('\u0004')
  await second.exit
  await using third = await server.open('ann', '-tt')
  await third.waitFor(READY)
  await type(third, 'hello\r', /ann:\S* hello/)
  expect(third.output()).not.toContain('brings your draft back')
})

describe('the guide', () => {
  let stage: ModelStage<AnyServer>
  beforeAll(async () => {
    stage = await createModelStageHere('', { isShared: true })
    await stage.claim('rhea')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const out = async (name: string, ...words: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await stage.as(name, words)
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    return stdout
  }

  const steps = (answer: string): readonly string[] => answer.split('\n').slice(1, 4)

  test('@guide omits from its next answer only the steps that the newcomer has done', async () => {
    const first = steps(await out('newt', 'ask', 'lobby', '@guide help'))
    expect(first.map((line) => line.slice(0, 19))).toEqual([
      '- `hello everybody`',
      '- `@qwen what can y',
      '- `/create NAME` – ',
    ])
    await out('newt', 'say', 'lobby', 'hello everybody')
    expect(steps(await out('newt', 'ask', 'lobby', '@guide help')).slice(0, 2)).toEqual(first.slice(1))
    expect(steps(await out('bob', 'ask', 'lobby', '@guide help'))).toEqual(first)
  })

  test('@guide suggests /invite to the owner of a private room', async () => {
    await out('newt', 'create', '--private', 'burrow')
    expect(await out('newt', 'ask', 'burrow', '@guide help')).toContain('- `/invite NAME` –')
  })

  test('/help with a question finds the topic that @guide answers it with', async () => {
    const answer = await out('newt', 'ask', 'lobby', '@guide how do I send a file?')
    expect(answer).toMatch(/^- `scp FILE HOST:ROOM\/` – puts/)
    expect(await out('newt', 'help', 'how do I send a file?')).toMatch(/^scp FILE HOST:ROOM\/ +puts/)
  })

  test('@guide answers a question about talking to bob with /msg', async () => {
    expect(await out('newt', 'ask', 'lobby', '@guide how do I talk to bob?')).toMatch(
      /^- `\/msg NAME TEXT…` – write a private message to one/,
    )
  })
})
