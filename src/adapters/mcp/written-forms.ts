/** Shorter lines of a secret are too often a line of something else. */
const SHORTEST_LINE = 8

/**
 * How a secret stands in what somebody writes: as it is, as a text in JSON, and in JSON within JSON. One of several lines, such
 * as a key, also line by line: a tool that shows them may end or indent them in its own way.
 */
export function writtenForms(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim())
  const long = lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : []
  const inJson = inJsonOf(secret)
  return [...new Set([secret, ...inJson, ...inJson.flatMap(inJsonOf), ...long, ...long.flatMap(inJsonOf)])]
}

/** As between the quotes of JSON, in the ways that libraries write it: some have codes for all but ASCII, some `\/` for `/`. */
function inJsonOf(text: string): readonly string[] {
  const quoted = JSON.stringify(text).slice(1, -1)
  const codes = quoted.replaceAll(/[^ -~]/g, codeOf)
  const capitals = quoted.replaceAll(/[^ -~]/g, (one) => codeOf(one).toUpperCase().replace('U', 'u'))
  const ways = [...new Set([quoted, codes, capitals])]
  return [...ways, ...ways.map((way) => way.replaceAll('/', String.raw`\/`))]
}

/** Of one unit of UTF-16. */
const codeOf = (unit: string): string => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0')
