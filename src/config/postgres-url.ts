/** True for the URL of a PostgreSQL database. */
export const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\/\S+$/.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1

/** What the URL of a PostgreSQL database looks like. */
export const POSTGRES_EXAMPLE = 'postgres://sshawl@db.example.org/sshawl'
