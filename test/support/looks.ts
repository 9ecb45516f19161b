/** What clients send so that a session looks one way or another: the themes, and plain mode. */
export const LOOKS = {
  dark: { env: { SSHAWL_THEME: 'dark' } },
  light: { env: { SSHAWL_THEME: 'light' } },
  mono: { env: { NO_COLOR: '1' } },
  plain: { term: 'dumb' },
} as const

export const LOOK_NAMES = Object.keys(LOOKS) as readonly (keyof typeof LOOKS)[]
