import { expect, test } from 'vitest'
import { createPartReceiver, createPartSender } from '../../../../src/adapters/lua/sent-parts.ts'

test('a part crosses once, and is the same object from then on', () => {
  const [send, receive] = [createPartSender<readonly string[]>(), createPartReceiver<readonly string[]>()]
  const part = ['a']
  const first = receive(structuredClone(send(part)))
  expect(first).toEqual(part)
  expect(send(part)).toEqual({ number: 0 })
  expect(receive(send(part))).toBe(first)
})

test('when there are many parts, the numbers begin again, and each part arrives as it is', () => {
  const [send, receive] = [createPartSender<string>(), createPartReceiver<string>()]
  for (let turn = 0; turn < 200; turn += 1) {
    const part = `part ${(turn * 7) % 45}`
    expect(receive(send(part))).toBe(part)
    expect(receive(send(part))).toBe(part)
  }
})

test('a number that never came is an error', () => {
  expect(() => createPartReceiver<string>()({ number: 3 })).toThrow('never came')
})
