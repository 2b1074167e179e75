import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { hashOf } from './canonical.ts'

/** SHA-256 over the names and contents of all files below a folder. */
export function hashFolder(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return hashOf(files.map((file) => [relative(folder, file), hashOf(readFileSync(file, 'base64'))]))
}
