import { readFile } from 'node:fs/promises'
import { ValidationError } from '@svc/core'

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
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw wrong(`--${flag} ${path} cannot be read: ${error.code ?? error.message}`)
  })
  return parseJson(`${flag} ${path}`, text)
}

/** The JSON object of the file that a flag names. */
export async function readJsonObject(flag: string, path: string): Promise<Record<string, unknown>> {
  const value = await readJsonFile(flag, path)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw wrong(`--${flag} ${path} must hold a JSON object`)
}

const wrong = (message: string): ValidationError => new ValidationError('validation_failed', message)
