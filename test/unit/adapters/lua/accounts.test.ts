import { expect, test } from 'vitest'
import { createAccounts, hookAccount, promptAccount } from '../../../../src/adapters/lua/accounts.ts'

test('a hook is charged to its room and to the author of its script, in whichever room it runs', () => {
  const accounts = createAccounts()
  accounts.spend(hookAccount('den', 'mallory'), 250)
  expect(accounts.load(hookAccount('attic', 'mallory'))).toBeGreaterThan(200)
  expect(accounts.load(promptAccount('attic', 'mallory'))).toBeGreaterThan(200)
  expect(accounts.load(promptAccount('den', 'ann'))).toBeGreaterThan(200)
  expect(accounts.load(promptAccount('attic', 'ann'))).toBe(0)
  expect(accounts.load(hookAccount('attic', 'ann'))).toBe(0)
})

test('the loss of a process by a hook makes its author suspect, and nobody else in other rooms', () => {
  const accounts = createAccounts()
  accounts.suspect(hookAccount('den', 'mallory'))
  expect(accounts.isSuspect(hookAccount('attic', 'mallory'))).toBe(true)
  expect(accounts.isSuspect(hookAccount('attic', 'ann'))).toBe(false)
})
