import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { writeOwnRecord } from '@svc/core/config'
import { LOGINS_FILE, readLogins } from './logins-file.ts'

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
