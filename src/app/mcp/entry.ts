import { Refusal } from '../../chat/errors.ts'
import type { McpOrder } from '../../commands/verbs/mcp/ports.ts'
import { mcpEntry } from '../../config/mcp-entry.ts'

/** An order in the keys of `[[mcp]]`. Throws `Refusal`. */
export function entryOf({ name, target, trust, tokenEnv }: McpOrder): object {
  const entry = {
    name,
    ...(isAddress(target) ? { url: target.trim() } : { command: wordsOf(target.trim()) }),
    ...(trust === undefined ? {} : { trust }),
    ...(tokenEnv === undefined ? {} : { token_env: tokenEnv }),
  }
  const { error } = mcpEntry.safeParse(entry)
  if (!error) return entry
  const [issue] = error.issues
  throw new Refusal(`${FLAG[String(issue?.path[0])] ?? String(issue?.path[0] ?? name)}: ${issue?.message}`)
}

/** What people write for a key. */
const FLAG: Readonly<Record<string, string>> = { token_env: '--token-env', trust: '--trust' }

const isAddress = (target: string): boolean => /^\s*[a-z]+:\/\//i.test(target)

/** Quotes mean nothing, as everywhere; a word with a space in it needs the JSON form. */
function wordsOf(target: string): unknown {
  if (!target.startsWith('[')) return target.split(/\s+/)
  try {
    return JSON.parse(target)
  } catch {
    throw new Refusal('the command is no JSON list of texts, such as ["npx", "-y", "my server"]')
  }
}
