import { text } from 'node:stream/consumers'
import { readHtml, type ReadRequest } from './read-html.ts'

/**
 * The process that reads one page, from standard input to standard output, and ends; any error ends it too. It knows
 * documents and text; it must not know the network, rooms or tools.
 */
const request: ReadRequest = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(readHtml(request)))
