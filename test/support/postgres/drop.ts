import { afterAll } from 'vitest'
import { dropDatabases } from '../stored.ts'

// After each file, so that a run does not keep a database for each server that it has started.
afterAll(dropDatabases)
