/**
 * What `npm run metrics` measures of the source: sizes, assertions, folders, cycles of imports, and how many files
 * one opens on three roads through the server (`roads.ts`). It prints the table, with `-- --write` writes it to docs/,
 * with `-- --check` compares with what is written there. This folder reads text and syntax only: it runs nothing of
 * `src`, and must not know what the server does.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ROADS } from './roads.ts'
import { run } from './run.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean' }, write: { type: 'boolean' } } })
const task = values.check ? 'check' : values.write ? 'write' : 'print'
const { text, failed } = await run(task, fileURLToPath(new URL('../..', import.meta.url)), ROADS)
process.stdout.write(text)
if (failed) process.exitCode = 1
