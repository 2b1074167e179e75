import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { depthOf } from '../paths.ts'
import { unique } from '../question.ts'
import type { Hit, Hits } from '../read/formats.ts'
import { entryPaths } from '../read/manifest.ts'
import type { CodeSymbol } from '../read/symbols.ts'
import { isTestPath, readDefinition } from '../read/symbols.ts'
import { lookAtRoot, readMainManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'

export interface Definition {
  readonly path: string
  readonly symbol: CodeSymbol
}

/** A search in the workspace, and in the folders of built code that the manifest names where the source holds nothing. */
export function* searchEverywhere(
  session: ToolSession,
  query: string,
  limit: number,
  wanted: (hit: Hit) => boolean = () => true,
): Look<Hits | undefined> {
  const [found] = yield* together([session.search(query, { limit }), lookAtRoot(session)])
  if (!found || found.hits.some(wanted)) return found
  const manifest = yield* readMainManifest(session)
  const named = manifest ? entryPaths(manifest).map((path) => path.slice(manifest.folder.length)) : []
  const folders = unique(named.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))))
  const unseen = folders.filter(
    (folder) => BUILT.has(folder) && !found.hits.some((hit) => hit.path.startsWith(`${folder}/`)),
  )
  const more = yield* together(unseen.slice(0, 2).map((folder) => session.search(query, { path: folder, limit })))
  return {
    hits: [...found.hits, ...more.flatMap((other) => other?.hits ?? [])],
    more: found.more + more.reduce((sum, other) => sum + (other?.more ?? 0), 0),
  }
}

/** Folders that tools leave out of listings and searches unless they are named. */
const BUILT = new Set(['dist', 'target', 'coverage', 'build', 'out'])

const escapeName = (name: string): string => name.replace(/[$]/g, '\\$&')

/** Whether a line holds the name as a word of its own. */
export const holdsWord = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w$])${escapeName(name)}(?![\\w$])`).test(text)

/** The lines that define a name, the likeliest first: exported, not a test, near the root, source before types. */
export function definitionsOf(name: string, hits: readonly Hit[]): Definition[] {
  const [owner, member] = name.includes('.')
    ? [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.') + 1)]
    : ['', name]
  const found: Definition[] = []
  for (const hit of hits) {
    // a search shows lines without their indentation, which a member needs to be seen as one
    const symbol = readDefinition(hit.path, hit.line, hit.text) ?? readDefinition(hit.path, hit.line, `  ${hit.text}`)
    const isKnown = found.some((other) => other.path === hit.path && other.symbol.line === hit.line)
    if (symbol && symbol.name === member && !isKnown) found.push({ path: hit.path, symbol })
  }
  const weight = ({ path, symbol }: Definition): number =>
    (isTestPath(path) ? 16 : 0) +
    (symbol.kind === 'method' && owner === '' ? 6 : 0) +
    (symbol.indent > 0 ? 4 : 0) +
    (symbol.exported ? 0 : 2) +
    // `exports.a = a` hands on what another line defines
    (/\bexports\.\w+\s*=\s*[\w$.]+;?\s*$/.test(symbol.text) ? 5 : 0) +
    // `const a = b.a` as well
    (symbol.kind === 'constant' && /=\s*[\w$]+(?:\.[\w$]+)+;?\s*$/.test(symbol.text) ? 8 : 0) +
    (/\.d\.[cm]?ts$/.test(path) ? 3 : 0) +
    (/\.min\.|(?:^|\/)(?:umd|browser)/.test(path) ? 3 : 0) +
    depthOf(path) / 20
  return found.sort(
    (a, b) => weight(a) - weight(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.symbol.line - b.symbol.line),
  )
}
