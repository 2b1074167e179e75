import { at } from '../cite.ts'
import { claim, heading, type Part } from '../claim.ts'
import type { Look } from '../look.ts'
import { isSourcePath, readExports } from '../read/symbols.ts'
import type { ToolSession } from '../tool-session.ts'
import { names, tick } from '../wording.ts'

const LINES = 200
const MOST_FILES = 2
const isTypes = (path: string): boolean => /\.d\.[cm]?ts$/.test(path)

/** What the entry files hand out; those of types only where no other says it. */
export function* describeExports(session: ToolSession, paths: readonly string[]): Look<Part[]> {
  const readable = paths.filter((path) => isSourcePath(path)).sort((a, b) => Number(isTypes(a)) - Number(isTypes(b)))
  const excerpts = yield* session.readAll(readable.slice(0, MOST_FILES), LINES)
  const said = excerpts.flatMap((excerpt) => {
    const all = readExports(excerpt).filter(({ name }) => name !== '__esModule')
    const lines = all.map(({ line }) => line)
    const text = `${tick(excerpt.path)} exports ${names(
      all.map(({ name }) => name),
      400,
    )}`
    return all.length === 0 ? [] : [claim(text, [at(excerpt.path, Math.min(...lines), Math.max(...lines))])]
  })
  return said.length === 0 ? [] : [heading('What they export'), ...said.slice(0, 1)]
}
