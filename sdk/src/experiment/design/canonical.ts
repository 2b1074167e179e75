import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { canonicalJson } from '@svc/core/support'

/**
 * A value as a text that is the same for equal values: keys in order, functions by their source, plugins by name and source.
 * What a function uses of its surroundings is not seen.
 */
export const canonical = (value: unknown): string => canonicalJson(value, ofCode) ?? 'null'

const ofCode = (part: unknown): unknown =>
  typeof part === 'function' ? `function ${part}` : part instanceof RegExp ? String(part) : part

/** SHA-256 in hexadecimal, of what `canonical` says. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')

/** SHA-256 over the names and contents of all files below a folder. */
export function hashFolder(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return hashOf(files.map((file) => [relative(folder, file), hashOf(readFileSync(file, 'base64'))]))
}
