import { statSync } from 'node:fs'
import { createRedactor, type Redactor, secretsOfConfig } from '@svc/core'
import { readRegularFile } from '@svc/core/config'

const MOST_BYTES = 1 << 20
/** How often it is looked whether a file is another one. */
const LOOK_MS = 1_000
/** What may be a key. */
const WORD = /[!#-~]{20,}/g

/** Takes out what stands in files of keys too, as they are when a text is looked at. */
export function redactFiles(redact: Redactor, files: readonly string[]): Redactor {
  let seen = ''
  let isFresh = false
  let ofFiles: Redactor = (text) => text
  return (text) => {
    // A timer says when: to ask for the time costs more than to look at a text, and a run has thousands.
    if (!isFresh) {
      isFresh = true
      setTimeout(() => {
        isFresh = false
      }, LOOK_MS).unref()
      const state = files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join()
      if (state !== seen) ofFiles = createRedactor(files.flatMap(wordsOf))
      seen = state
    }
    return ofFiles(redact(text))
  }
}

function wordsOf(file: string): string[] {
  const read = readRegularFile(file, MOST_BYTES)
  if (!('bytes' in read)) return []
  const text = read.bytes.toString('utf8')
  try {
    const { keys = [], logins = {} } = JSON.parse(text) as { keys?: { key?: unknown }[]; logins?: object }
    return [...keys.flatMap(({ key }) => (typeof key === 'string' ? [key] : [])), ...secretsOfConfig(logins, {})]
  } catch {
    return text.match(WORD) ?? []
  }
}
