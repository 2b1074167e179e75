import { at } from '../cite.ts'
import { claim, type Part } from '../question/claim.ts'
import { names, tick } from '../question/wording.ts'
import type { Excerpt } from '../read/formats.ts'
import { readExports } from '../read/symbols.ts'

/** The names that a file hands out, in one line. */
export function describeExports(excerpt: Excerpt): Part[] {
  const all = readExports(excerpt).filter(({ name }) => name !== '__esModule')
  const lines = all.map(({ line }) => line)
  const text = `${tick(excerpt.path)} exports ${names(all.map(({ name }) => name))}`
  return all.length === 0
    ? []
    : [claim(text, [at(excerpt.path, Math.min(...lines), Math.max(...lines))], [excerpt.path])]
}
