import { describe } from 'vitest'
import { openInMemory } from '../support/storage.ts'
import { entriesExam, recordsExam } from './storage-exam.ts'

const ENGINE = 'SQLite in memory, in the thread of its caller'

describe('entries', () => entriesExam(ENGINE, openInMemory))
describe('records', () => recordsExam(ENGINE, openInMemory))
