import { hkdfSync, randomBytes } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { weaknessOf } from '../keys/weak-key.ts'
import type { OidcSettings } from './settings.ts'

const BYTES = 32

/** What a sealed text is for: one is not taken for the other. */
export type Purpose = 'svc-sign-in' | 'svc-session'

/**
 * Seals what a browser keeps for the server, so that it can neither read nor change it.
 *
 * The key comes from the secret of the client, so that every server with that secret takes what one of them has sealed, also
 * after a restart. Where there is none, or one that can be guessed, it is drawn at the start.
 */
export class Seal {
  readonly #key: Uint8Array

  constructor({ issuer, clientId, clientSecret }: OidcSettings) {
    const isGood = clientSecret !== undefined && weaknessOf(clientSecret) === undefined
    const secret = isGood ? clientSecret : randomBytes(BYTES)
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', JSON.stringify(['svc session', issuer, clientId]), BYTES))
  }

  async close(purpose: Purpose, id: string, value: JWTPayload, seconds: number): Promise<string> {
    const { EncryptJWT } = await import('jose')
    const until = new Date(Date.now() + seconds * 1_000)
    return new EncryptJWT(value)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: purpose })
      .setJti(id)
      .setExpirationTime(until)
      .encrypt(this.#key)
  }

  /** What was sealed; undefined for what was not, for something else, or for longer ago. */
  async open(purpose: Purpose, sealed: string): Promise<JWTPayload | undefined> {
    const { jwtDecrypt } = await import('jose')
    const options = {
      typ: purpose,
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      requiredClaims: ['exp', 'jti'],
    }
    return jwtDecrypt(sealed, this.#key, options).then(
      ({ payload }) => payload,
      () => undefined,
    )
  }
}
