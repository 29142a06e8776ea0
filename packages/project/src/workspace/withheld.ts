/** Secrets, what was installed, what runs left behind. A sample of an `.env` holds no secrets. */
const NEVER =
  /^(?:\.env(?!\.(?:example|sample|template)$)(?:\..*)?|\.envrc|\.npmrc|\.netrc|\.pgpass|\.git-credentials|\.ssh|\.aws|\.gnupg|\.git|\.retinue|node_modules)$/

/** Keys, and what they are kept in. */
const KEYS = /^id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key|p12|pfx|keystore|jks)$/i

/**
 * Whether a file or folder of a name is withheld where a folder is copied, to a workspace or into a build: `never` is it copied, or only
 * if it is asked for by its own `name`. Undefined: it is copied.
 */
export function withheld(name: string): 'never' | 'name' | undefined {
  if (NEVER.test(name)) return 'never'
  return KEYS.test(name) ? 'name' : undefined
}
