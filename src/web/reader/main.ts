import { text } from 'node:stream/consumers'
import { readHtml, type ReadRequest } from './read-html.ts'

/**
 * The process that reads one page from stdin, writes it to stdout, and ends, also on any error. It must not
 * know the network, rooms or tools.
 */
const request: ReadRequest = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(readHtml(request)))
