import { text } from 'node:stream/consumers'
import type { FoundFiles, FoundText } from '../../tools/index.ts'
import { WorkspaceError } from '../../words/errors.ts'
import { findFiles, searchText, type FileSearchRequest, type SearchAnswer } from './search.ts'

/**
 * The process of one search: reads a request from standard input and writes the answer to standard output.
 * Loads nothing of the server except this folder and the functions that open files.
 */
const request: FileSearchRequest = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(await answer(request)))

async function answer(asked: FileSearchRequest): Promise<SearchAnswer<FoundFiles | FoundText>> {
  const { root, limits } = asked
  try {
    return {
      found:
        'files' in asked
          ? await findFiles(root, asked.files, limits)
          : await searchText(root, asked.text, limits),
    }
  } catch (error) {
    if (error instanceof WorkspaceError) return { refused: error.message }
    throw error
  }
}
