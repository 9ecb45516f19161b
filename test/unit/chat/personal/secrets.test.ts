import { expect, test } from 'vitest'
import { codes, newCode } from '../../../../src/app/codes.ts'
import { holdsSecret } from '../../../../src/chat/personal/secrets.ts'

test.each([
  '/claim abcd-efgh',
  'claim ABCD-EFGH',
  '/cliam WXYZ-2345',
  'the code is ABCD-EFGH, tell nobody',
  '/token new --days 3',
  '/msg bob meet at nine',
  ' /w bob x',
  '/tell bob x',
  '/REPLY yes',
  'ssh -p 2222 bob+abcd-efgh-jkmn-pqrs@host',
  'abcdefghjkmnpqrs',
  'key sk-proj-abcdefghijklmnop',
  'ghp_0123456789abcdefABCDEF0123456789abcd',
  'curl -H "Authorization: Bearer abcdefgh"',
  '-----BEGIN OPENSSH PRIVATE KEY-----',
  'token=deadbeef0123456789deadbeef',
])('%s may have a secret in it', (line) => expect(holdsSecret(line)).toBe(true))

test.each([
  'tell me more',
  '/who',
  'hello there',
  '/join test-room',
  '@qwen why does work-life balance matter?',
  '/turn 01JABCDEFGHJKMNPQRSTVWXYZ0',
  '/tools read !Grep',
  'a claim that nobody believes',
  'https://example.org/a-long-but-readable-path/to-something',
  '日本語 '.repeat(100),
  '',
])('%s has none', (line) => expect(holdsSecret(line)).toBe(false))

test('every code that the server makes is one, as it is printed', () => {
  for (let i = 0; i < 200; i++)
    for (const code of [newCode(2), codes.make(), codes.make().toLowerCase()])
      expect([code, holdsSecret(`x ${code}`)]).toEqual([code, true])
})

test('a line of any kind is looked through in linear time', () => {
  const begin = performance.now()
  for (const part of ['A', 'AB23-', '- ', 'a1', 'sk-', 'Bearer ', ' ']) holdsSecret(part.repeat(4_000))
  expect(performance.now() - begin).toBeLessThan(1_000)
})
