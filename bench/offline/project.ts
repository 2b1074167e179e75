import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** A text file of a project. */
interface TextFile {
  /** Relative to the project, with `/`. */
  path: string
  lines: string[]
}

/** A package to ask about, read by plain means: its manifest, its files, its licence. Nothing here is the provider's. */
export interface Project {
  name: string
  folder: string
  language: 'npm' | 'python'
  /** Of package.json; empty for Python. */
  manifest: Record<string, unknown>
  version: string | undefined
  description: string | undefined
  license: string | undefined
  files: TextFile[]
}

/** Folders that no search looks into unless they are named. */
const IGNORED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'target', '.git'])
const TEXT = /\.(?:[cm]?[jt]sx?|py|md|markdown|rst|txt|json|toml|cfg|ya?ml)$|^(?:licen[cs]e|copying|changelog)$/i

export function readProject(folder: string, name: string): Project {
  const language = existsSync(join(folder, 'package.json')) ? 'npm' : 'python'
  const files = listFiles(folder)
    .map((path) => ({ path, lines: readFileSync(join(folder, path), 'utf8').split('\n') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  if (language === 'npm') {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
    const [version, description, license] = ['version', 'description', 'license'].map((key) => textOf(manifest[key]))
    return { name, folder, language, manifest, version, description, license, files }
  }
  const settings = files
    .filter(({ path }) => /^(?:pyproject\.toml|setup\.(?:cfg|py))$/.test(path))
    .flatMap(({ lines }) => lines)
  const value = (key: string): string | undefined =>
    settings.flatMap(
      (line) => new RegExp(`^\\s*${key}\\s*=\\s*["']?([^"'\\[\\]{},]+)["']?,?$`).exec(line)?.[1] ?? [],
    )[0]
  const version = /-(\d[\w.]*)$/.exec(folder.replace(/\/$/, ''))?.[1]
  return { name, folder, language, manifest: {}, version, description: value('description'), license: undefined, files }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function listFiles(folder: string, inside = folder): string[] {
  return readdirSync(inside, { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name)
    if (entry.isDirectory()) return IGNORED.has(entry.name) ? [] : listFiles(folder, path)
    return entry.isFile() && TEXT.test(entry.name) ? [relative(folder, path)] : []
  })
}

export const isSource = ({ path }: { path: string }): boolean => /\.(?:[cm]?[jt]sx?|py)$/.test(path)
export const isTest = ({ path }: { path: string }): boolean =>
  /(?:^|\/)(?:tests?|testing|samples)\/|[._]test\.|test_/.test(path)

/** Titles of a document with the lines from each to the next of its level or a higher one. */
export function readSections({
  lines,
}: {
  lines: readonly string[]
}): { title: string; level: number; from: number; to: number }[] {
  const titles: { title: string; level: number; from: number; to: number }[] = []
  let inCode = false
  lines.forEach((line, index) => {
    if (/^\s*```/.test(line)) inCode = !inCode
    const marked = inCode ? null : /^(#{1,4})\s+(.+?)\s*#*$/.exec(line)
    const under = /^([=\-~^])\1{2,}\s*$/.exec(lines[index + 1] ?? '')?.[1]
    if (marked)
      titles.push({ title: marked[2] ?? '', level: marked[1]?.length ?? 1, from: index + 1, to: lines.length })
    else if (!inCode && under !== undefined && /^\S/.test(line) && !/^[#=\-~^|]/.test(line))
      titles.push({ title: line.trim(), level: '=-~^'.indexOf(under) + 1, from: index + 1, to: lines.length })
  })
  titles.forEach((title, index) => {
    const next = titles.slice(index + 1).find((other) => other.level <= title.level)
    if (next) title.to = next.from - 1
  })
  return titles
}
