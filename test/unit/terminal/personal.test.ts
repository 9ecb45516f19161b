import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName } from '../../../src/words/entry.ts'
import type { PersonalOptions } from '../../../src/chat/personal/options.ts'
import { personalAt } from '../../support/personal.ts'
import { createFakeTerminal } from '../../support/terminal.ts'

const size = { columns: 80, rows: 24 }
const open = (env: Record<string, string>, options: PersonalOptions = {}, term = 'xterm-256color') =>
  personalAt(createFakeTerminal({ size, env, term }), options)

test.each([
  [{}, {}, 'auto'],
  [{}, { theme: 'light' }, 'light'],
  [{ SSHAWL_THEME: 'dark' }, { theme: 'light' }, 'dark'],
  [{ SSHAWL_THEME: 'sepia' }, { theme: 'light' }, 'light'],
  [{ SSHAWL_THEME: '__proto__' }, {}, 'auto'],
  [{ NO_COLOR: '1' }, { theme: 'light' }, 'mono'],
  [{ NO_COLOR: '' }, {}, 'auto'],
  [{ NO_COLOR: '1', SSHAWL_THEME: 'dark' }, {}, 'dark'],
] as const)('a client that sends %j and has saved %j gets the theme %s', (env, kept, theme) => {
  expect(open(env, kept).theme().id).toBe(theme)
})

test.each([
  ['vt100', {}, 'mono'],
  ['xterm-mono', {}, 'mono'],
  ['ansi', {}, 'mono'],
  ['ansi', { COLORTERM: 'truecolor' }, 'auto'],
  ['xterm-256color', {}, 'auto'],
  ['screen', {}, 'auto'],
] as const)('a terminal %s with %j has the theme %s', (term, env, theme) => {
  expect(open(env, {}, term).theme().id).toBe(theme)
})

test('the time zone is set in the session, or else sent by the client, or else saved', () => {
  expect(open({}).zone.name).toBe('UTC')
  expect(open({}, { timezone: 'Asia/Tokyo' }).zone.name).toBe('Asia/Tokyo')
  expect(open({ TZ: 'nonsense' }, { timezone: 'Asia/Tokyo' }).zone.name).toBe('Asia/Tokyo')
  const personal = open({ TZ: ':Europe/Berlin' }, { timezone: 'Asia/Tokyo' })
  expect(personal.zone.name).toBe('Europe/Berlin')
  personal.set({ timezone: 'UTC' })
  expect(personal.zone.name).toBe('UTC')
})

test('an option set in the session overrides the environment of the client', () => {
  const personal = open({ SSHAWL_THEME: 'dark', SSHAWL_PLAIN: '1', NO_COLOR: '1' })
  let changes = 0
  personal.onChange(() => changes++)
  expect([personal.theme().id, personal.isPlain()]).toEqual(['dark', true])
  personal.set({ theme: 'light', plain: 'off' })
  expect([personal.theme().id, personal.isPlain(), changes]).toEqual(['light', false, 2])
  personal.set({ theme: 'auto' })
  expect(personal.theme().id).toBe('auto')
})

test.each([
  ['xterm', {}, {}, false],
  ['xterm', {}, { plain: 'on' }, true],
  ['xterm', { SSHAWL_PLAIN: '1' }, {}, true],
  ['xterm', { SSHAWL_PLAIN: '0' }, { plain: 'on' }, false],
  ['xterm', { SSHAWL_PLAIN: '' }, {}, false],
  ['dumb', {}, {}, true],
  ['bot', {}, {}, true],
  ['', {}, {}, true],
] as const)('a terminal %j that sends %j and has saved %j is plain: %s', (term, env, kept, is) => {
  expect(open(env, kept, term).isPlain()).toBe(is)
})

test('a session without a pty is plain even if plain is set to off', () => {
  const personal = personalAt(createFakeTerminal(), { plain: 'off' })
  personal.set({ plain: 'off' })
  expect(personal.isPlain()).toBe(true)
})

const said = (text: string, author = 'bob', kind = 'message'): Entry =>
  ({ id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author, kind, text }) as Entry

test.each([
  ['mention', [false, true, false, false, true, false]],
  ['all', [true, true, false, false, true, false]],
  ['off', [false, false, false, false, false, false]],
] as const)('a bell set to %s rings only for the lines that the setting covers', (bell, rings) => {
  const personal = open({}, { bell })
  const toAll = (author: string): Entry => ({ ...said('@all lunch', author), toAll: true })
  const own = said('@zoe me', 'zoe')
  const lines = [said('hello'), said('hey @zoe'), own, said('ann joined', '', 'presence')]
  lines.push(toAll('bob'), toAll('zoe'))
  expect(lines.map(personal.bell.ringsFor)).toEqual(rings)
  expect(personal.bell.mayRing()).toBe(bell !== 'off')
})
