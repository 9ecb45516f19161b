import { text } from 'node:stream/consumers'
import { WorkspaceError, type FoundFiles, type FoundText } from '../../../tools/workspace.ts'
import { findFiles, searchText, type FileSearchRequest, type SearchAnswer } from './search.ts'

/**
 * The process that makes one search and ends: a request comes on standard input, the answer goes to standard output.
 * Nothing of the server is in it but this folder and how files are opened.
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
