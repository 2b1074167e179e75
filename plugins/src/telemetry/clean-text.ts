const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|AUTHORIZATION/i
/** Shorter values would be found in ordinary words. */
const SHORTEST = 8
/** Longest text of one attribute, in characters. */
const LONGEST = 16_384

/**
 * Takes what this process knows to be secret out of texts that leave it, and cuts what is too long.
 *
 * @param env whose variables hold keys, by their names
 * @param more further secrets
 * @param longest of a text, in characters; default 16384
 */
export function createCleaner(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[],
  longest = LONGEST,
): (text: string) => string {
  const named = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? value.split(',') : [],
  )
  const known = [...named, ...more].map((secret) => secret.trim()).filter(({ length }) => length >= SHORTEST)
  // The longest first, so that no part of one is left. Inside JSON a secret is written as JSON writes it.
  const secrets = [...new Set(known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))].sort(
    (a, b) => b.length - a.length,
  )
  return (text) => {
    const clean = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
    return clean.length > longest ? `${clean.slice(0, longest)}…` : clean
  }
}
