import type { ServerSettings } from '@retinue/server'

/** What `server.ts` says, with the token that the environment gives where it says none. What is no setting is an error of `check`. */
export function settingsOf(
  server: Readonly<Record<string, unknown>> | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ServerSettings {
  const token = env['RETINUE_TOKEN']
  return { ...(token ? { token } : {}), ...(server as ServerSettings | undefined) }
}
