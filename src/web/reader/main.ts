import { text } from 'node:stream/consumers'
import { readHtml, type ReadRequest } from './read-html.ts'

// A process that reads one page from stdin, writes it to stdout, and ends, also on an error. Must not know
// the network, rooms or tools.
const request: ReadRequest = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(readHtml(request)))
