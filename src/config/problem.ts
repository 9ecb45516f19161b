/** Something in the environment, the flags or the file that cannot be used; `message` says where and what to write. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** All that was found, one line each; the first is the message. */
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems[0] ?? 'the configuration cannot be used')
    this.problems = problems
  }
}
