import { numberedWord } from './numbered-markdown.ts'

/** A reply as coding models write them: prose, lists, tables and code, with numbered words, in about eighty lines. */
export function longReply(): { readonly text: string; readonly words: number } {
  let count = 0
  const w = (many: number): string => Array.from({ length: many }, () => numberedWord(count++)).join(' ')
  const section = (number: number): string =>
    [
      `## ${number}. ${w(3)}`,
      '',
      `${w(8)} **${w(2)}** ${w(28)}, as \`${w(1)}\` says. ${w(40)}.`,
      '',
      `- ${w(6)}`,
      `- *${w(1)}*: ${w(12)}`,
      `  - ${w(5)}`,
      '',
      `| ${w(1)} | ${w(1)} | ${w(2)} |`,
      '| --- | ---: | --- |',
      ...Array.from({ length: 12 }, () => `| ${w(1)} | ${w(1)} | ${w(3)} |`),
      '',
      '```ts',
      `import { ${w(1)} } from './${w(1)}.ts'`,
      '',
      `export function ${w(1)}(${w(1)}: string): number {`,
      `  const ${w(1)} = "${w(1)}" // ${w(3)}`,
      `  return ${w(1)}.length + ${w(1)}(${w(1)})`,
      '}',
      '```',
      '',
      `${w(50)}.`,
    ].join('\n')
  const text = [`${w(12)}:`, section(1), section(2), section(3)].join('\n\n')
  return { text, words: count }
}
