import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { calibrationsExam } from './storage/calibrations-exam.ts'
import { chargesExam } from './storage/charges-exam.ts'
import { entryLogExam } from './storage/entry-log-exam.ts'
import { grantsExam } from './storage/grants-exam.ts'
import { historyExam } from './storage/history-exam.ts'
import { invitationNoticesExam } from './storage/invitation-notices-exam.ts'
import { memoriesExam } from './storage/memories-exam.ts'
import { mcpExam } from './storage/mcp-exam.ts'
import { invitesExam } from './storage/invites-exam.ts'
import { keysAndNamesExam } from './storage/keys-and-names-exam.ts'
import { peopleExam } from './storage/people-exam.ts'
import { preferencesExam } from './storage/preferences-exam.ts'
import { resultsExam } from './storage/results-exam.ts'
import { retentionExam } from './storage/retention-exam.ts'
import { revisionsExam } from './storage/revisions-exam.ts'
import { roomsExam } from './storage/rooms-exam.ts'
import { sanctionsExam } from './storage/sanctions-exam.ts'
import { scriptsExam } from './storage/scripts-exam.ts'
import { summariesExam } from './storage/summaries-exam.ts'
import { routinesExam } from './storage/routines-exam.ts'
import { searchExam } from './storage/search-exam.ts'
import { talkExam } from './storage/talk-exam.ts'
import { typedExam } from './storage/typed-exam.ts'
import { tokensExam } from './storage/tokens-exam.ts'
import { turnsExam } from './storage/turns-exam.ts'

/** Gives the store that was opened for the test of now: a new one, which is empty. */
function openForEach(open: () => Promise<Storage>): () => Storage {
  let running: Storage
  beforeEach(async () => {
    running = await open()
  })
  afterEach(async () => {
    await running[Symbol.asyncDispose]()
  })
  return () => running
}

/** What every storage engine must do with what is said and done in rooms. `open` gives an empty store. */
export function entriesExam(engine: string, open: () => Promise<Storage>): void {
  const store = openForEach(open)
  describe(`the entry log of ${engine}`, () => entryLogExam(store))
  describe(`what was edited in ${engine}`, () => revisionsExam(store))
  describe(`how long ${engine} keeps what was said`, () => retentionExam(store))
  describe(`searching ${engine}`, () => searchExam(store))
  describe(`the history of ${engine}`, () => historyExam(store))
  describe(`the turns of ${engine}`, () => turnsExam(store))
  describe(`the charges of ${engine}`, () => chargesExam(store))
  describe(`the calibrations of ${engine}`, () => calibrationsExam(store))
}

/** What every storage engine must do with all else that it keeps. `open` gives an empty store. */
export function recordsExam(engine: string, open: () => Promise<Storage>): void {
  const store = openForEach(open)
  describe(`the rooms of ${engine}`, () => roomsExam(store))
  describe(`the people of ${engine}`, () => peopleExam(store))
  describe(`what people set in ${engine}`, () => preferencesExam(store))
  describe(`the talk of ${engine}`, () => talkExam(store))
  describe(`what people typed, in ${engine}`, () => typedExam(store))
  describe(`the untold invitations of ${engine}`, () => invitationNoticesExam(store))
  describe(`the sanctions of ${engine}`, () => sanctionsExam(store))
  describe(`the invite codes of ${engine}`, () => invitesExam(store))
  describe(`the tokens of ${engine}`, () => tokensExam(store))
  describe(`the keys and names of ${engine}`, () => keysAndNamesExam(store))
  describe(`the grants of ${engine}`, () => grantsExam(store))
  describe(`the MCP servers of ${engine}`, () => mcpExam(store))
  describe(`the long results of ${engine}`, () => resultsExam(store))
  describe(`the routines of ${engine}`, () => routinesExam(store))
  describe(`the scripts of ${engine}`, () => scriptsExam(store))
  describe(`the memories of ${engine}`, () => memoriesExam(store))
  describe(`the summaries of ${engine}`, () => summariesExam(store))

  test(`${engine} is in good health`, async () => {
    await expect(store().upkeep.health()).resolves.toBeUndefined()
  })
}
