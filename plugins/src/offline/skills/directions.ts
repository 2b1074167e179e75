import { at, type Cite } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, note } from '../claim.ts'
import { baseName, folderOf } from '../paths.ts'
import type { Excerpt, Hit, Hits, Listing } from '../read/formats.ts'
import { numbered } from '../read/formats.ts'
import { readImport, resolveImport } from '../read/imports.ts'
import { isPythonPath, isTestPath } from '../read/symbols.ts'
import { series, tick } from '../wording.ts'

interface Edge {
  readonly from: string
  readonly to: string
  readonly cite: Cite
}

/** Who imports whom: between folders, or between the files of a package that is one folder. */
export function describeDirections(tree: Listing, hits: Hits | undefined, entries: readonly Excerpt[]): Part[] {
  const lines: Hit[] = [
    ...(hits?.hits ?? []),
    ...entries.flatMap((entry) => numbered(entry).map(({ line, text }) => ({ path: entry.path, line, text }))),
  ].filter((hit) => !isTestPath(hit.path))
  const known = new Set(tree.folders)
  const folderEdges = toEdges(lines, (path, isTarget) => toFolder(path, known, isTarget))
  if (folderEdges.length > 0) {
    const parts = describeEdges(folderEdges, 14, (folder) => tick(folder === '' ? './' : folder))
    const mutual = folderEdges.filter(
      (edge, index) => folderEdges.findIndex((other) => other.from === edge.to && other.to === edge.from) > index,
    )
    const both = mutual.slice(0, 4).flatMap((edge) => {
      const back = folderEdges.find((other) => other.from === edge.to && other.to === edge.from)
      return back
        ? [
            claim(
              `${tick(edge.from)} and ${tick(edge.to)} import each other`,
              [edge.cite, back.cite],
              [edge.from, edge.to, './'],
            ),
          ]
        : []
    })
    const cut =
      (hits?.more ?? 0) > 0
        ? [note('These are the imports on the first lines that I found in each folder; there may be more.')]
        : []
    return [
      heading('Which folder imports which'),
      ...parts,
      ...both,
      ...cut,
      ...(folderEdges.length < 3 ? describeFiles(lines) : []),
    ]
  }
  return describeFiles(lines)
}

function describeFiles(lines: readonly Hit[]): Part[] {
  const edges = toEdges(lines, (path, isTarget) => (isTarget ? path : path.replace(/\.\w+$/, '')))
  return edges.length === 0 ? [] : [heading('Which file is imported by which'), ...describeTargets(edges, 8)]
}

/** In a package of one folder: the files that most others build on, and who they are. */
function describeTargets(edges: readonly Edge[], limit: number): Part[] {
  const targets = [...new Set(edges.map((edge) => edge.to))]
    .map((to) => ({ to, users: edges.filter((edge) => edge.to === to) }))
    .sort((a, b) => b.users.length - a.users.length || (a.to < b.to ? -1 : 1))
  const shared = targets.filter(({ users }) => users.length > 1)
  return (shared.length > 0 ? shared : targets).slice(0, limit).map(({ to, users }) => {
    const shown = users.slice(0, 8)
    const names = shown.map((edge) => tick(baseName(edge.from)))
    const list = users.length > shown.length ? `${names.join(', ')} and more` : series(names, 8)
    return claim(
      `${tick(baseName(to))} is imported by ${list}`,
      shown.map((edge) => edge.cite),
    )
  })
}
function toEdges(lines: readonly Hit[], area: (path: string, isTarget: boolean) => string | undefined): Edge[] {
  const edges: Edge[] = []
  const seen = new Set<string>()
  for (const { path, line, text } of lines) {
    const specifier = readImport(path, text)
    const target = specifier === undefined ? undefined : resolveImport(path, specifier)
    if (target === undefined || target === '') continue
    const from = area(path, false)
    const folder = area(target, true)
    // a file beside the folders that enclose the importing one is named itself
    const to =
      folder !== undefined && from !== undefined && from !== folder && from.startsWith(folder) ? target : folder
    if (from === undefined || to === undefined || from === to) continue
    const key = `${from} ${to}`
    if (seen.has(key)) continue
    seen.add(key)
    edges.push({ from, to, cite: at(path, line) })
  }
  return edges
}

/** The folder that a path lies in, at most three levels deep; for an import, the folder it names or lies in. */
function toFolder(path: string, known: ReadonlySet<string>, isTarget: boolean): string | undefined {
  let folder = isTarget && known.has(`${path}/`) ? `${path}/` : folderOf(path)
  while (folder !== '' && !known.has(folder)) folder = folderOf(folder.slice(0, -1))
  if (folder === '' && isTarget) return undefined
  if (isTarget && isPythonPath(`${path}.py`) && folder === '') return undefined
  return folder
}

function describeEdges(edges: readonly Edge[], limit: number, name: (area: string) => string): Part[] {
  const sources = [...new Set(edges.map((edge) => edge.from))].sort().slice(0, limit)
  return sources.map((from) => {
    const own = edges.filter((edge) => edge.from === from).slice(0, 8)
    const targets = own.map((edge) => edge.to)
    return claim(
      `${name(from)} imports ${series(targets.map(name), 8)}`,
      own.map((edge) => edge.cite),
      ['./', from, ...targets, ...targets.map(baseName), baseName(from)],
    )
  })
}
