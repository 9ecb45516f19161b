import { Client } from 'pg'

/** Sends statements to a database over a connection of their own. Resolves to the rows. */
export async function sendTo(
  url: string,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
