import { nkeys } from '@nats-io/transport-node'
import { createHash } from 'node:crypto'

/** Users of a NATS server, as `nsc` and `nk` would make them. */
export function createNatsUsers() {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()]
  const seed = new TextDecoder().decode(user.getSeed())
  const accountJwt = jwt(operator, account, { ...LIMITS, type: 'account', limits: ACCOUNT_LIMITS })
  const userJwt = jwt(account, user, { ...LIMITS, type: 'user', pub: {}, sub: {} })
  return {
    /** Of the server's config: an operator, one account, and no user, since those prove themselves. */
    operatorConfig: `operator: ${jwt(operator, operator, { type: 'operator' })}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }
`,
    /** A user's JWT and seed, as `nsc` writes them to a file. */
    credentials: `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

************************* IMPORTANT *************************
-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------`,
    /** Of the server's config, where a user has only a key. */
    nkeyConfig: `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }\n`,
    /** That user's seed, as `nk` writes it to a file. */
    seed: `# of sshawl\n${seed}\n`,
  }
}

type Key = ReturnType<typeof nkeys.createUser>

const LIMITS = { subs: -1, data: -1, payload: -1 }
const ACCOUNT_LIMITS = { ...LIMITS, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }

/** A claim about `subject`, signed by `issuer` (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/jwt). */
function jwt(issuer: Key, subject: Key, facts: object): string {
  const claim = {
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    jti: createHash('sha256').update(subject.getPublicKey()).digest('hex'),
    name: 'exam',
    nats: { version: 2, ...facts },
    sub: subject.getPublicKey(),
  }
  const text = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claim]
    .map((part) => base64(JSON.stringify(part)))
    .join('.')
  return `${text}.${base64(issuer.sign(new TextEncoder().encode(text)))}`
}

const base64 = (part: string | Uint8Array): string => Buffer.from(part).toString('base64url')
