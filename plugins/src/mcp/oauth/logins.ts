import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { readOwnRecord, writeOwnRecord } from '@svc/core/config'

/** In the person's own folder, readable by them alone. */
export const LOGINS_FILE = 'mcp-logins.json'

/** What a login has left: enough to use a server, and to go on with the login when it runs out. */
export interface Login {
  client?: StoredOAuthClientInformation
  tokens?: StoredOAuthTokens
  discovery?: OAuthDiscoveryState
  /** Where the browser was sent back to. */
  redirectUrl?: string
  /** The rights that a server has asked for since. */
  wanted?: string
}

/** The login of one server: of its name and its address together, so that no other address is sent its tokens. */
export class LoginStore {
  readonly #userDir: string
  readonly #key: string

  constructor(userDir: string, name: string, url: string) {
    this.#userDir = userDir
    this.#key = `${name} ${url}`
  }

  read(): Login {
    const login = readLogins(this.#userDir)[this.#key]
    return typeof login === 'object' && login !== null ? login : {}
  }

  /** @param change gets the login as it is by then; undefined forgets it */
  async write(change: (login: Login) => Login | undefined): Promise<void> {
    await writeOwnRecord(this.#userDir, LOGINS_FILE, () => {
      const { [this.#key]: login = {}, ...others } = readLogins(this.#userDir)
      const next = change(login as Login)
      return { version: 1, logins: next === undefined ? others : { ...others, [this.#key]: next } }
    })
  }
}

/** Forgets the logins of a server, whatever its addresses were. @returns whether there were any */
export async function forgetLogins(userDir: string, name: string): Promise<boolean> {
  const isIts = (key: string): boolean => key.startsWith(`${name} `)
  if (!Object.keys(readLogins(userDir)).some(isIts)) return false
  await writeOwnRecord(userDir, LOGINS_FILE, () => ({
    version: 1,
    logins: Object.fromEntries(Object.entries(readLogins(userDir)).filter(([key]) => !isIts(key))),
  }))
  return true
}

function readLogins(userDir: string): Record<string, Login> {
  const logins = readOwnRecord(userDir, LOGINS_FILE)?.logins
  return typeof logins === 'object' && logins !== null ? (logins as Record<string, Login>) : {}
}
