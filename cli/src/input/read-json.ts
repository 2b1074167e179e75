import { readRegularFile } from '@svc/core/config'
import { wrong } from '../line/wrong.ts'

/** More than a request to svc may have. */
const MOST_BYTES = 8 << 20

/**
 * The JSON of a flag's text.
 *
 * @throws ValidationError `validation_failed`
 */
export function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw wrong(`--${flag} is not JSON: ${(thrown as Error).message}`)
  }
}

/** The JSON of the file that a flag names. */
export async function readJsonFile(flag: string, path: string): Promise<unknown> {
  const read = readRegularFile(path, MOST_BYTES)
  if (!('bytes' in read)) throw wrong(`--${flag} ${path} ${read.problem}`)
  return parseJson(`${flag} ${path}`, read.bytes.toString('utf8'))
}

/** The JSON object of the file that a flag names. */
export async function readJsonObject(flag: string, path: string): Promise<Record<string, unknown>> {
  const value = await readJsonFile(flag, path)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw wrong(`--${flag} ${path} must hold a JSON object`)
}

/** What a text says as JSON; the text itself where it is none. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
