import { at, atLines, type Cite } from '../cite.ts'
import type { Part } from '../claim.ts'
import { claim, heading, note } from '../claim.ts'
import { type Look, together } from '../look.ts'
import { type Excerpt, numbered } from '../read/formats.ts'
import type { Manifest } from '../read/manifest.ts'
import { entryPaths } from '../read/manifest.ts'
import { isSourcePath, readExports } from '../read/symbols.ts'
import type { Skill } from '../skill.ts'
import { lookAtRoot, readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'
import { tick } from '../wording.ts'

/** Main, module, types, bin and exports, and what the main file hands out. */
export const entryPoints: Skill = {
  id: 'entry-points',
  asks: ({ lower, identifiers, paths }) =>
    /\bentry ?(?:points?|files?|modules?)\b|\bmain (?:file|module|field|script)\b|\bfiles? (?:is|are|gets?) (?:loaded|executed|required|imported|run)\b|\btypescript types\b|\btype (?:definitions|declarations|files?)\b|\b(?:holds?|has|contains?|where are) (?:the|its) types\b|\bpackage exports?\b|\bexports? (?:field|map)\b|\bbin(?:ary|aries)?\b|\bexecutables?\b|\bcommands? (?:does|it|are)\b|\bhow (?:do|can) (?:i|you) import\b|\btypes? (?:file|entry|field)\b/.test(
      lower,
    ) ||
    (/\bwhat (?:does|is|are) .{0,200}\bexport(?:s|ed)?\b|\bpublic api\b|\blist .{0,200}\bexports\b/.test(lower) &&
      identifiers.length === 0 &&
      paths.length === 0),
  *work(session) {
    const manifest = yield* readAskedManifest(session)
    const root = yield* lookAtRoot(session)
    const parts: Part[] = manifest ? describeEntries(manifest, 16) : []
    const paths = manifest ? entryPaths(manifest) : []
    const guesses = root.files
      .map((file) => file.path)
      .filter((path) => /^(?:index|main|app|cli|__main__|__init__)\.\w+$/.test(path) && isSourcePath(path))
    const entries = yield* readEntries(session, paths.length > 0 ? paths : guesses, 2)
    if (parts.length === 0) {
      parts.push(
        ...entries.map((entry) =>
          claim(`${tick(entry.path)} lies at the top of the workspace`, [{ path: entry.path, from: entry.first }]),
        ),
      )
      if (parts.length > 0) parts.unshift(heading('Possible entry points, by their names'))
    }
    parts.push(...describeExports(entries, 40))
    const names = entries.flatMap((entry) => readExports(entry).map((item) => item.name))
    if (parts.length === 0)
      parts.push(
        note(
          'I found no entry point: no manifest names one, and no index or main file lies at the top of the workspace.',
        ),
      )
    return {
      parts,
      missing: parts.every((part) => part.kind === 'note'),
      facts: { exports: [...new Set(names)], entryPoints: paths, main: manifest?.fact('main')?.value },
      answered: true,
    }
  },
}

/** Files that can be read for what they export: source before types, the first ones. */
export function* readEntries(session: ToolSession, paths: readonly string[], limit: number): Look<Excerpt[]> {
  const readable = paths.filter((path) => isSourcePath(path))
  const first = readable.filter((path) => !/\.(?:min|umd|global)\./.test(path))
  const types = first.filter((path) => /\.d\.[cm]?ts$/.test(path))
  const code = first.filter((path) => !/\.d\.[cm]?ts$/.test(path))
  const wanted = [...code.slice(0, 1), ...types.slice(0, 1), ...code.slice(1)].slice(0, limit)
  const heads = yield* session.readAll(wanted, 160)
  // some say what they export on their last lines
  const silent = heads.filter((entry) => entry.total > 160 && readExports(entry).length === 0)
  const tails = yield* together(
    silent.map((entry) => session.read(entry.path, { offset: entry.total - 39, limit: 40 })),
  )
  return [...heads, ...tails.filter((entry) => entry !== undefined)]
}

/** The entry points that a manifest names. */
export function describeEntries(manifest: Manifest, limit: number): Part[] {
  const parts: Part[] = []
  for (const [field, meaning] of [
    ['main', 'main file'],
    ['module', 'ES module'],
    ['types', 'types'],
  ] as const) {
    const fact = manifest.fact(field)
    if (fact) parts.push(claim(`${meaning}: ${tick(fact.value)}`, fact.cites))
  }
  for (const item of manifest.group('bin'))
    parts.push(claim(`command ${tick(item.name)} runs ${tick(item.value)}`, item.cites))
  const exported = manifest.group('exports')
  for (const item of exported.slice(0, limit)) {
    const [subpath, ...conditions] = item.value === '' ? ['', ''] : item.name.split(' ')
    const condition = conditions.length > 0 ? ` (condition ${conditions.map((part) => tick(part)).join(', ')})` : ''
    parts.push(
      item.value === ''
        ? claim(`exports ${tick(item.name)}`, item.cites)
        : claim(`exports ${tick(subpath ?? '')}${condition}: ${tick(item.value)}`, item.cites),
    )
  }
  const rest = exported.slice(limit)
  const last = rest.at(-1)
  if (last) parts.push(claim(`and further exports, down to ${tick(last.name.split(' ')[0] ?? '')}`, last.cites))
  return parts.length === 0 ? [] : [heading('Entry points'), ...parts]
}

/** What the entry files hand out: names, and modules handed on as a whole. A file of types is left out beside its code. */
export function describeExports(entries: readonly Excerpt[], limit: number): Part[] {
  const hasCode = entries.some((entry) => !isTypes(entry.path) && readExports(entry).length > 0)
  const parts: Part[] = []
  for (const entry of entries.filter(({ path }) => !hasCode || !isTypes(path))) {
    const all = readExports(entry).filter((item) => item.name !== '__esModule')
    const names = all.slice(0, limit)
    const whole = numbered(entry).flatMap(({ line, text }) => {
      const handed =
        /^\s*export\s+\*\s+(?:as\s+\w+\s+)?from\s*["']([^"']+)["']/.exec(text) ??
        /^\s*module\.exports\s*=\s*require\(["']([^"']+)["']\)/.exec(text)
      const from = handed?.[1]
      return from === undefined ? [] : [{ name: from, line }]
    })
    if (names.length > 0)
      parts.push(
        claim(
          `${tick(entry.path)} exports ${names.map((item) => tick(item.name)).join(', ')}${all.length > limit ? ' and more' : ''}`,
          citeLines(entry.path, names),
        ),
      )
    if (whole.length > 0)
      parts.push(
        claim(
          `${tick(entry.path)} hands on all of ${whole
            .slice(0, limit)
            .map((item) => tick(item.name))
            .join(', ')}`,
          citeLines(entry.path, whole.slice(0, limit)),
        ),
      )
  }
  return parts.length === 0 ? [] : [heading('What they export'), ...parts]
}

const isTypes = (path: string): boolean => /\.d\.[cm]?ts$/.test(path)

/** The lines of some names; one range where they are many. */
function citeLines(path: string, items: readonly { line: number }[]): Cite[] {
  const lines = items.map((item) => item.line)
  const cites = atLines(path, lines)
  return cites.length > 10 ? [at(path, Math.min(...lines), Math.max(...lines))] : cites
}
