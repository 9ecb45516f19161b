/** The pages that must name what the config can say, as text. */
export interface Pages {
  readonly security: string
  readonly readme: string
}

/** What the pages do not say: each limit with its default in docs/security.md, each backend in README.md. */
export function unsaidInPages(
  limits: Readonly<Record<string, number>>,
  backends: readonly string[],
  { security, readme }: Pages,
): readonly string[] {
  return [
    ...Object.entries(limits)
      .filter(([key, value]) => !new RegExp(`\`${key}\` ${value}\\b`).test(security))
      .map(([key, value]) => `docs/security.md does not say \`${key}\` ${value}: it lists all limits`),
    ...backends
      .filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(readme))
      .map((name) => `README.md does not name the backend ${name}`),
  ]
}
