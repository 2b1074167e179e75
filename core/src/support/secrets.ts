/**
 * What is secret among variables and settings, and how it is taken out of texts that leave the process: by its known
 * values in every text, and by what keys look like in texts that are only read, such as log lines.
 */

import { variablesIn } from './settings/variables.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** A text without secrets. */
export type Redactor = (text: string) => string

/** What stands in place of a secret. */
export const MARK = '[redacted]'
/** Shorter values would be found in ordinary words. */
const SHORTEST = 8
const SECRET_NAME = /key|token|secret|passw|credential|authorization|cookie|(?:_|\b)(?:pass|pw|dsn)$/i
/** Names of settings whose value is a secret. They name numbers such as `maxTokens`, too, which are no texts. */
const SECRET_FIELD = /key$|token$|secret|passw|authorization|cookie|credential/i
/** Fields that look secret and hold a variable's name. */
const NAMES_OF_VARIABLES: ReadonlySet<string> = new Set(['apiKeyEnv'])
/** Maps of which each value may be a key, whatever its name is. */
const SECRET_MAPS: ReadonlySet<string> = new Set(['headers', 'query', 'env'])
const PUBLIC_IN_MAPS =
  /^(?:accept(?:-.*)?|content-type|user-agent|referer|http-referer|x-title|anthropic-(?:version|beta)|api-version)$/i
const ONLY_A_VARIABLE = /^(?:[A-Za-z]+ )?(?:\$?\{env:\w+\}|\$\{\w+\})$/

/** Up to the last @, since a password that somebody has not encoded may hold any sign. */
const URL_PASSWORD = /^([a-z][a-z\d+.-]*:\/{0,2}[^\s:@/]*:)(\S+)(@)/i
/** A key in place of a user's name. */
const URL_USER = /^([a-z][a-z\d+.-]*:\/\/)([^\s:@/]{16,})(@)/i
const URL_PARAMETER = /([?&][\w.-]{0,32}(?:key|token|secret|password|passwd|signature|sig)=)([^&\s#]+)/gi

/** What keys look like. Each repetition is bounded or of one class, so that a text of any length takes linear time. */
const SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[\w-]{20,}/g,
  /\b(?:gh[opsu]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_)[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\beyJ[\w-]{10,4096}\.[\w-]{10,4096}\.[\w-]{10,4096}/g,
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,32}PRIVATE KEY-----)?/g,
]
const BEARER = /\b(Bearer|Basic) [\w.~+/-]{16,}=*/gi
const PASSWORD_IN_TEXT = /([a-z][a-z\d+.-]{0,15}:\/\/[^\s:@/"'<>]{0,128}:)[^\s@/"'<>]{1,256}@/gi

/**
 * Takes known secrets out of texts: as they are, and as JSON, addresses, base64 and hex write them. Values that are short,
 * a number, a word or a path are left where they stand: they would be found in ordinary text.
 */
export function createRedactor(values: Iterable<string>): Redactor {
  const forms = [
    ...new Set(
      [...values]
        .map((value) => value.trim())
        .filter(isTelling)
        .flatMap(formsOf),
    ),
  ]
  // The longest first, so that no part of one is left.
  const known = forms.filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length)
  return (text) => known.reduce((left, form) => (left.includes(form) ? left.replaceAll(form, MARK) : left), text)
}

/** Takes out what looks like a key: for log lines and messages, not for what is worked on, which may hold examples. */
export function redactShapes(text: string): string {
  const clean = SHAPES.reduce((left, shape) => left.replace(shape, MARK), text)
  return clean.replace(BEARER, `$1 ${MARK}`).replace(PASSWORD_IN_TEXT, `$1${MARK}@`)
}

/** The same error with its message and stack cleaned, and those of its causes. */
export function redactError<T>(thrown: T, redact: Redactor): T {
  let error: unknown = thrown
  for (let depth = 0; depth < 8 && error instanceof Error; depth++) {
    for (const field of ['message', 'stack'] as const) {
      const text = error[field]
      const clean = typeof text === 'string' ? redact(text) : text
      if (clean !== text) Object.defineProperty(error, field, { value: clean, configurable: true, writable: true })
    }
    error = error.cause
  }
  return thrown
}

/** Every text in a value, cleaned; the value itself where there is nothing to clean. */
export function redactTexts<T>(value: T, redact: Redactor): T {
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const clean = entries.map(([name, item]) => [redact(name), redactTexts(item, redact)] as const)
  if (clean.every(([name, item], index) => name === entries[index]?.[0] && item === entries[index]?.[1])) return value
  return (Array.isArray(value) ? clean.map(([, item]) => item) : Object.fromEntries(clean)) as T
}

/** The secrets among variables: by their names, in lists of headers, and in addresses. */
export function secretsOfVariables(env: Variables): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (/headers$/i.test(name)) return value.split(/[,\n]/).flatMap((line) => valuesOf(line.replace(/^[^=:]*[=:]/, '')))
    const inAddress = secretsOfAddress(value)
    return SECRET_NAME.test(name) && inAddress.length === 0
      ? [...valuesOf(value), ...value.split(',').flatMap((part) => [...valuesOf(part), ...afterName(part)])]
      : inAddress
  })
}

/** The key of a part such as `alice <key>`, where a name stands before it. */
const afterName = (part: string): string[] => valuesOf(/^\s*[\w.-]{1,64}\s+(\S+)\s*$/.exec(part)?.[1] ?? '')

/** The secrets of a config: what stands in its secret fields, in headers and addresses, and the variables named there. */
export function secretsOfConfig(config: unknown, env: Variables): string[] {
  return textsOf(config).flatMap(({ text, isSecret }) => {
    const named = variablesIn(text).flatMap((name) => valuesOf(env[name] ?? ''))
    const own = isSecret && named.length === 0 && !ONLY_A_VARIABLE.test(text) ? valuesOf(text) : []
    return [...(isSecret ? named : []), ...own, ...secretsOfAddress(text)]
  })
}

/** A copy of a config, or of a part of one, that can be shown: no secrets, no functions. */
export function redact(value: unknown, name = '', isInMap = false): unknown {
  if (typeof value === 'function') return '[function]'
  if (typeof value === 'string') return redactSetting(value, name, isInMap)
  if (Array.isArray(value)) return value.map((item) => redact(item, name, isInMap))
  if (typeof value !== 'object' || value === null) return value
  if ('apply' in value && 'name' in value) return `[plugin ${String(value.name)}]`
  const isMap = SECRET_MAPS.has(name)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redact(item, key, isMap)]))
}

function redactSetting(value: string, name: string, isInMap: boolean): string {
  return isSecretField(name, isInMap) && !ONLY_A_VARIABLE.test(value) ? MARK : hideInAddress(value)
}

const isSecretField = (name: string, isInMap: boolean): boolean =>
  isInMap ? !PUBLIC_IN_MAPS.test(name) : SECRET_FIELD.test(name) && !NAMES_OF_VARIABLES.has(name)

const hideInAddress = (text: string): string =>
  text
    .replace(URL_PASSWORD, `$1${MARK}$3`)
    .replace(URL_USER, `$1${MARK}$3`)
    .replace(URL_PARAMETER, `$1${MARK}`)
    .replace(PASSWORD_IN_TEXT, (all, head: string) => (all.includes(MARK) ? all : `${head}${MARK}@`))

function textsOf(value: unknown, name = '', isInMap = false): { text: string; isSecret: boolean }[] {
  if (typeof value === 'string') return [{ text: value, isSecret: isSecretField(name, isInMap) }]
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, name, isInMap))
  if (typeof value !== 'object' || value === null || 'apply' in value) return []
  const isMap = SECRET_MAPS.has(name)
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, key, isMap))
}

/** Also without the word that a header's value begins with. */
function valuesOf(text: string): string[] {
  const whole = [text.trim(), decode(text.trim())]
  return [...whole, ...whole.flatMap((value) => /^[A-Za-z]+ (\S+)$/.exec(value)?.[1] ?? [])]
}

function secretsOfAddress(text: string): string[] {
  const found = [URL_PASSWORD.exec(text)?.[2], URL_USER.exec(text)?.[2]]
  for (const [, , value] of text.matchAll(URL_PARAMETER)) found.push(value)
  return found.flatMap((secret) => (secret === undefined ? [] : [secret, decode(secret)]))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a value would be found nowhere but where it was written. */
const isTelling = (value: string): boolean =>
  value.length >= SHORTEST &&
  !/^(?:\d{1,15}|[a-z]{1,11}|[~.]{0,2}\/.*|[A-Z]:\\.*)$/is.test(value) &&
  !(URL.canParse(value) && /^[a-z][a-z\d+.-]*:\/\//i.test(value))

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const encoded = [0, 1, 2].map((offset) => insideBase64(bytes, offset))
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    ...encoded,
    ...encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
  ]
}

/** The characters that stand for these bytes alone where so many other bytes are before them, as in `user:key`. */
function insideBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6))
}
