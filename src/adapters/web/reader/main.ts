import { json } from 'node:stream/consumers'
import { readHtml } from './read-html.ts'
import type { ReadRequest } from './reading.ts'

/** The process that reads one page, from standard input to standard output, and ends; any error ends it too. */
process.stdout.write(JSON.stringify(readHtml((await json(process.stdin)) as ReadRequest)))
