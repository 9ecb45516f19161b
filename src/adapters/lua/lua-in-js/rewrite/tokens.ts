import type { Token } from 'luaparse'

/** Kinds of luaparse's tokens that can end an expression: a `(` after one of these is a call's. */
const textToken = 2
const nameToken = 8

/** Where parenthesized expressions are: the offset of what is inside to the offset after it. */
export type Groups = ReadonlyMap<number, number>

/** luaparse drops parentheses, but `(f())` is one value where `f()` is any number. */
export function findGroups(tokens: readonly Token[]): Groups {
  const groups = new Map<number, number>()
  const open: (number | undefined)[] = []
  tokens.forEach((token, index) => {
    if (isSign(token, '('))
      open.push(endsExpression(tokens[index - 1]) ? undefined : tokens[index + 1]?.range[0])
    if (!isSign(token, ')')) return
    const start = open.pop()
    if (start !== undefined) groups.set(start, tokens[index - 1]!.range[1])
  })
  return groups
}

/** Takes the 5.4 attribute out of `local x <const>`, of which the parser knows nothing; lines stay. */
export function withoutConst(source: string, tokens: readonly Token[]): string {
  let text = source
  tokens.forEach((token, index) => {
    if (token.value !== 'local' || token.type === textToken) return
    for (let at = index + 1; tokens[at]?.type === nameToken; at += 1) {
      const [opening, word, closing] = tokens.slice(at + 1, at + 4)
      if (isSign(opening, '<') && word?.value === 'const' && isSign(closing, '>')) {
        const [from, to] = [opening!.range[0], closing!.range[1]]
        text = text.slice(0, from) + text.slice(from, to).replace(/[^\n]/g, ' ') + text.slice(to)
        at += 3
      }
      at += 1
      if (!isSign(tokens[at], ',')) return
    }
  })
  return text
}

const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.value === sign && token.type !== textToken

const endsExpression = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.type === textToken ||
    token.type === nameToken ||
    [')', ']', '}'].some((sign) => isSign(token, sign)))
