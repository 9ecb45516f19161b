/**
 * The URL of a PostgreSQL database with the `sslmode` that the driver takes another one for: it checks the certificate for `prefer`,
 * `require` and `verify-ca`, too, and prints a warning of ten lines that it does. An address that has `uselibpqcompat` stays.
 */
export const saidOutright = (url: string): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
