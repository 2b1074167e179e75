import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findForbiddenWords } from '../check-words.mjs'
import { findRegexes } from '../find-regexes.mjs'
import { PACKAGES, root } from '../packages.mjs'
import { findSlowText } from '../slow-regex.mjs'
import { sources } from './files.mjs'

/** Words that the project does not use. */
export function* checkWords() {
  for (const { path, line, word, cure } of findForbiddenWords()) yield `${path}:${line} says "${word}": write ${cure}`
}

/** No text may take a regular expression more time than its length accounts for. */
export function* checkRegexes() {
  const judged = new Set()
  for (const name of PACKAGES) {
    const folders = [join(root, name, 'src'), join(root, name, 'console', 'src')]
    for (const file of folders.flatMap((folder) => sources(folder))) {
      for (const { line, source, flags } of findRegexes(file)) {
        const key = `${flags} ${source}`
        if (judged.has(key)) continue
        judged.add(key)
        const slow = findSlowText(source, flags)
        if (slow === undefined) continue
        const attack = `${JSON.stringify(slow.prefix)} + ${JSON.stringify(slow.pump)} * n + ${JSON.stringify(slow.suffix)}`
        yield `${relative(root, file)}:${line} takes the square of the time, or more, for ${attack}: ${source}`
      }
    }
  }
}

/** A test file without `.run()` passes without having run anything. */
export function* checkTests() {
  for (const name of [...PACKAGES, 'examples', 'bench', 'python']) {
    for (const file of sources(join(root, name))) {
      if (file.endsWith('.test.ts') && !/\.run\(\)\s*;?\s*$/.test(readFileSync(file, 'utf8').trimEnd())) {
        yield `${relative(root, file)} does not end with .run()`
      }
    }
  }
}
