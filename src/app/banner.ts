import type { Config } from '../config/config.ts'

const BANNER = 'sshawl lets you in with a key. If you have none: ssh-keygen -t ed25519\n'

/** Shown whatever name was asked for. ASCII only: clients write other letters as numbers. */
const HOW_TO_ASK =
  'Whoever is new needs an invite code: ask somebody who is here for one.\nThen ssh NAME@HOST asks for it, or bring it along: ssh NAME+CODE@HOST\n'

/** What a client is told before its login, if the last login from its network was refused. */
export const bannerFor = (access: Config['server']['access']): string =>
  access === 'invite' ? `${BANNER}${HOW_TO_ASK}` : BANNER
