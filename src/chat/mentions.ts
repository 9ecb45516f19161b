const MENTION = /(?<![\p{L}\p{N}_.@-])@([a-z0-9_.-]{1,32})/giu

/**
 * The names of `callable` that a text mentions as `@name`, each once, in the order of the text.
 * A sentence's full stop is not part of the name: `ask @qwen.` mentions `qwen` where no model is called `qwen.`.
 */
export function mentions(text: string, callable: Iterable<string>): string[] {
  const names = new Set(callable)
  const found = [...text.matchAll(MENTION)].map(([, word = '']) => longestName(word.toLowerCase(), names))
  return [...new Set(found.filter((name) => name !== undefined))]
}

function longestName(word: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(word)) return word
  const shorter = word.replace(/[.-]$/, '')
  return shorter === word ? undefined : longestName(shorter, names)
}
