import { expect, test } from 'vitest'
import { natsAddress } from '../../../../src/adapters/wire/config.ts'

test.each([
  ['nats://h', { servers: ['h:4222'], isEncrypted: false }],
  ['nats://h/', { servers: ['h:4222'], isEncrypted: false }],
  ['tls://h.example.org:443', { servers: ['h.example.org:443'], isEncrypted: true }],
  ['nats://a,b:1, nats://[::1]:2', { servers: ['a:4222', 'b:1', '[::1]:2'], isEncrypted: false }],
  ['nats://a,tls://b', { servers: ['a:4222', 'b:4222'], isEncrypted: true }],
  ['nats://t0ken@h', { servers: ['h:4222'], isEncrypted: false, login: { token: 't0ken' } }],
  [
    'nats://me:p%40%2Css@a,b,nats://me:p%40%2Css@c',
    {
      servers: ['a:4222', 'b:4222', 'c:4222'],
      isEncrypted: false,
      login: { user: 'me', pass: 'p@,ss' },
    },
  ],
])('%s is read', (url, address) => {
  expect(natsAddress(url)).toEqual(address)
})

test.each([
  '',
  'h',
  'h:4222',
  'nats://',
  'nats://:4222',
  'nats://h:99999',
  'nats://h:x',
  'nats://a b',
  'nats://a,',
  ',nats://a',
  'nats://a,,nats://b',
  'nats://h/path',
  'nats://h?tls=true',
  'nats://h#x',
  'nats://me:%zz@h',
  'nats://:password@h',
  'nats://me:one@a,me:two@b',
  'ws://h',
  'nats://a,ws://b',
  'http://h',
  'NATS://h\n',
])('%j is no address', (url) => {
  expect(natsAddress(url)).toBeUndefined()
})
