// Reading a page: HTML becomes the text of its readable part, in a process of its own that has no rights. It knows
// documents and text; it must not know the network, rooms or tools.

import { text } from 'node:stream/consumers'
import { readHtml } from './read-html.ts'
import type { ReadRequest } from './reading.ts'

/**
 * The process that reads one page, from standard input to standard output, and ends; any error ends it too. It has no
 * part in the network, and knows nothing of who asked.
 */
const request: ReadRequest = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(readHtml(request)))
