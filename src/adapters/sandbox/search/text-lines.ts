import type { FileHandle } from 'node:fs/promises'
import { WorkspaceError } from '../../../tools/workspace.ts'

/** A longer line is given in pieces of about this many characters, so that one endless line needs little memory. */
const MAX_PIECE_CHARS = 1024 * 1024

/**
 * The lines of a text file without their line ends (LF or CRLF), read bit by bit; invalid UTF-8 is replaced. Throws
 * `WorkspaceError` at the first NUL, which no text has.
 */
export async function* textLines(file: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  const stream: AsyncIterable<Buffer> = file.createReadStream({ autoClose: false })
  for await (const chunk of stream) {
    if (chunk.includes(0)) throw new WorkspaceError('it is not a text file')
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.replace(/\r$/, '')
    if (rest.length > MAX_PIECE_CHARS) {
      yield rest
      rest = ''
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
