/** Shorter lines of a secret are too often a line of something else. */
const SHORTEST_LINE = 8

/**
 * How a secret stands in what somebody writes: as it is, as a text in JSON, and in JSON within JSON. One of several lines, such
 * as a key, also line by line: a tool that shows them may end or indent them in its own way.
 */
export function writtenForms(secret: string): readonly string[] {
  const inJson = quoted(secret)
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim())
  const long = lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : []
  return [...new Set([secret, inJson, quoted(inJson), ...long, ...long.map(quoted)])]
}

/** As between the quotes of JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)
