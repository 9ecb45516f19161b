import { json } from 'node:stream/consumers'
import { WorkspaceError } from '../../../tools/ports.ts'
import type { SearchRequest } from './request.ts'
import { findFiles, searchText } from './search.ts'

/** The process that makes one search and ends: a request comes on standard input, the answer goes to standard output. */
const request = (await json(process.stdin)) as SearchRequest
const { root, limits } = request
try {
  const found =
    'files' in request
      ? await findFiles(root, request.files, limits)
      : await searchText(root, request.text, limits)
  process.stdout.write(JSON.stringify({ found }))
} catch (error) {
  if (!(error instanceof WorkspaceError)) throw error
  process.stdout.write(JSON.stringify({ refused: error.message }))
}
