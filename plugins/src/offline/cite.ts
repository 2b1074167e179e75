/** Where a sentence comes from: lines of a file (or of a page, or of a tool's answer), or a folder as it was listed. */
export interface Cite {
  /** Relative to the workspace; a folder ends with `/`; for a page its address, for another tool its id. */
  readonly path: string
  /** First line, 1-based; absent for a folder. */
  readonly from?: number
  /** Last line; absent when it is the first. */
  readonly to?: number
}

/** A citation of one line, or of the lines from one to another. */
export function at(path: string, from: number, to: number = from): Cite {
  return to === from ? { path, from } : { path, from, to }
}

/** Citations of line numbers in any order, neighbours joined. */
export function atLines(path: string, lines: readonly number[]): Cite[] {
  const sorted = [...new Set(lines)].sort((a, b) => a - b)
  const cites: Cite[] = []
  let from = sorted[0]
  for (let index = 0; index < sorted.length; index++) {
    const line = sorted[index] ?? 0
    if (sorted[index + 1] === line + 1) continue
    if (from !== undefined) cites.push(at(path, from, line))
    from = sorted[index + 1]
  }
  return cites
}

/** `path:3`, `path:3-5`, or the folder. */
function writeCite(cite: Cite): string {
  if (cite.from === undefined) return cite.path
  return cite.to === undefined ? `${cite.path}:${cite.from}` : `${cite.path}:${cite.from}-${cite.to}`
}

/** All citations of a sentence in one pair of brackets, neighbouring lines joined, none twice; empty when there are none. */
export function writeCites(cites: readonly Cite[]): string {
  const paths = [...new Set(cites.map((cite) => cite.path))]
  const joined = paths.flatMap((path) => {
    const own = cites.filter((cite) => cite.path === path)
    const lines = own.flatMap(({ from, to }) =>
      from === undefined ? [] : Array.from({ length: (to ?? from) - from + 1 }, (_, index) => from + index),
    )
    return lines.length > 0 ? atLines(path, lines) : own.slice(0, 1)
  })
  return joined.length === 0 ? '' : ` (${joined.map(writeCite).join(', ')})`
}
