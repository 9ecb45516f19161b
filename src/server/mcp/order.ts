import { Refusal } from '../../words/errors.ts'
import type { McpOrder } from '../../commands/index.ts'
import { mcpEntry } from '../config/mcp.ts'

/** Converts a `/mcp connect` command to a config entry. Throws `Refusal`. */
export function toMcpConfigEntry({ name, target, trust, tokenEnv, passEnv }: McpOrder): object {
  if (/^\s*[a-z]+:\/\/\S+\s+--/i.test(target)) throw new Refusal('flags come before the name of the server')
  const entry = {
    name,
    ...(/^\s*[a-z]+:\/\//i.test(target) ? { url: target.trim() } : { command: wordsOf(target.trim()) }),
    ...(trust === undefined ? {} : { trust }),
    ...(tokenEnv === undefined ? {} : { token_env: tokenEnv }),
    ...(passEnv.length === 0 ? {} : { pass_env: passEnv }),
  }
  const [issue] = mcpEntry.safeParse(entry).error?.issues ?? []
  if (!issue) return entry
  const key = String(issue.path[0] ?? name)
  const shown = ['token_env', 'pass_env', 'trust'].includes(key) ? `--${key.replace('_', '-')}` : key
  throw new Refusal(`${shown}: ${issue.message}`)
}

/**
 * Splits at spaces. Quotes have no meaning, as in all commands; an argument with a space needs the JSON form.
 */
function wordsOf(target: string): unknown {
  if (!target.startsWith('[')) return target.split(/\s+/)
  try {
    return JSON.parse(target)
  } catch {
    throw new Refusal('the command is no JSON list of texts, such as ["npx", "-y", "my server"]')
  }
}

const QUOTED = /^[\s'"`\\<“”„‘’‚«»‹›]+|[\s'"`\\>“”„‘’‚«»‹›]+$/g

/** Extracts the query of a redirect URL, of which any part was pasted, also in quotes. Throws `Refusal`. */
export function answerIn(address: string): URLSearchParams {
  const query = address.replaceAll(QUOTED, '').replace(/^[^?]*\?/, '')
  const answer = new URLSearchParams(query.replace(/#.*$/, ''))
  if (answer.has('state') && (answer.has('code') || answer.has('error'))) return answer
  throw new Refusal(
    'give the whole address to which the browser went: it has code= and state= in it, and the state shows that it is the answer to your login',
  )
}
