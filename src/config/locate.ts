/**
 * The line (1-based) of a TOML text where the value at `path` stands, or that of the nearest part of the path
 * that can be found. A TOML parser gives no positions, and this needs only tables and keys at line starts.
 */
export function lineOf(text: string, path: readonly PropertyKey[]): number {
  const wanted = path.map(String)
  const counts = new Map<string, number>()
  let table: string[] = []
  let best = { depth: 0, line: 1 }

  text.split('\n').forEach((line, index) => {
    const [, brackets, header] = /^\s*(\[\[?)\s*([^\]]+?)\s*\]/.exec(line) ?? []
    const [, key] = /^\s*("[^"]+"|[A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=/.exec(line) ?? []
    if (header) table = brackets === '[[' ? nextElement(keys(header)) : keys(header)
    const here = header ? table : key ? [...table, ...keys(key)] : undefined
    if (here && here.length > best.depth && here.every((part, at) => part === wanted[at])) {
      best = { depth: here.length, line: index + 1 }
    }
  })
  return best.line

  function nextElement(name: string[]): string[] {
    const id = name.join('.')
    const number = (counts.get(id) ?? -1) + 1
    counts.set(id, number)
    return [...name, String(number)]
  }
}

const keys = (dotted: string): string[] => dotted.split('.').map((part) => part.trim().replaceAll('"', ''))
