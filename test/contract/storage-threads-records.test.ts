import { openInThreads } from '../support/storage.ts'
import { recordsExam } from './storage-exam.ts'

recordsExam('an SQLite file in threads', openInThreads)
