import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { RE2JS } from 're2js'
import { errorMessage } from '../../base/errors.ts'
import type { FoundLine, FoundText, TextQuery } from '../../tools/index.ts'
import { WorkspaceError } from '../../words/errors.ts'
import { openInside } from '../read-text.ts'
import { MAX_PATTERN_CHARS } from './glob-pattern.ts'

export interface LineSearch {
  /** Resolves to false when the limit of results is reached. */
  read(path: string): Promise<boolean>
  found(): Omit<FoundText, 'cut'>
}

/** Throws `WorkspaceError` if the pattern is invalid. */
export function createLineSearch(
  root: string,
  query: TextQuery,
  limits: { readonly results: number },
): LineSearch {
  const expression = compile(query)
  const lines: FoundLine[] = []
  let matching = 0
  let files = 0
  let skipped = 0

  async function readLines(path: string, file: FileHandle): Promise<void> {
    const before: FoundLine[] = []
    let after = 0
    let number = 0
    for await (const text of textLines(file)) {
      number += 1
      const matches = expression.test(text)
      const line = { path, line: number, text: matches ? around(text, expression) : begin(text), matches }
      if (matches) {
        if (++matching >= limits.results) return
        lines.push(...before.splice(0), line)
        after = query.context
      } else if (after > 0) {
        after -= 1
        lines.push(line)
      } else if (query.context > 0) {
        before.push(line)
        if (before.length > query.context) before.shift()
      }
    }
  }

  return {
    async read(path) {
      try {
        await using file = await openInside(root, join(root, path), path)
        await readLines(path, file)
        files += 1
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error
        skipped += 1
      }
      return matching < limits.results
    },
    found: () => ({ lines, files, skipped }),
  }
}

function compile({ pattern, literal, ignoreCase }: TextQuery): RE2JS {
  if (pattern.length > MAX_PATTERN_CHARS)
    throw new WorkspaceError(`a pattern has at most ${MAX_PATTERN_CHARS} characters`)
  try {
    return RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (error) {
    const reason = errorMessage(error).replace(/^error parsing regexp: /, '')
    throw new WorkspaceError(
      `the pattern is no regular expression of RE2: ${reason}; with literal it is taken as it is`,
      { cause: error },
    )
  }
}

/** Longer lines are shortened to this length. */
const MAX_LINE_CHARS = 500

const begin = (text: string): string => window(text, 0)

/** Returns the part of a line around its first match. */
function around(text: string, expression: RE2JS): string {
  if (text.length <= MAX_LINE_CHARS) return text
  const matcher = expression.matcher(text)
  return window(text, matcher.find() ? Math.max(0, matcher.start() - MAX_LINE_CHARS / 4) : 0)
}

function window(text: string, start: number): string {
  if (text.length <= MAX_LINE_CHARS) return text
  const part = text.slice(start, start + MAX_LINE_CHARS).toWellFormed()
  return `${start > 0 ? '…' : ''}${part}${start + MAX_LINE_CHARS < text.length ? '…' : ''}`
}

/** A longer line is split into pieces of about this length, so that one endless line needs little memory. */
const MAX_PIECE_CHARS = 1024 * 1024

/** Reads lines bit by bit, without LF or CRLF. Replaces invalid UTF-8. Throws `WorkspaceError` at a NUL. */
async function* textLines(file: FileHandle): AsyncGenerator<string> {
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
