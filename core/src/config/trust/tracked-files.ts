import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, extname, join, resolve, sep } from 'node:path'
import type { Project } from '../find/find-project.ts'
import { CODE_ENDINGS, DATA_ENDINGS, DROP_IN_KINDS, kindOf } from '../find/paths.ts'
import { foldersAbove, resolveModule } from '../modules/resolve-module.ts'
import { isShared } from '../modules/shared-packages.ts'
import { isRecord, mostBytesOf, readBytes, sha256 } from '../read/read-data.ts'
import { findNames } from './imported-names.ts'
import { commandsIn, foldersIn, programsOf } from './named-programs.ts'

const MAX_FILES = 5_000
const MAX_PACKAGE_FILES = 20_000
const MAX_PROGRAM_BYTES = 256 << 20

/** Files that are followed wherever they are named; of others only what code imports. */
const FOLLOWED = new Set([...CODE_ENDINGS, ...DATA_ENDINGS, '.node', '.wasm', '.md', ''])
/** Files of a package that its code can consist of. */
const PACKAGED = new Set([...CODE_ENDINGS, '.json', '.node', ''])

/** In place of a hash: a file that cannot be read, is larger than 8 MiB, or is one of too many. Equal to no hash. */
export const NOT_COVERED = ''

/** SHA-256 in hexadecimal, by path. Of an installed package, whose path ends in `/`, it is one over all its code files. */
export type Hashes = Map<string, string>

/** What svc would load from a project. */
export interface TrackedFiles {
  /** What is recorded and compared. */
  hashes: Hashes
  /** The files that may be loaded then, each with its own hash, those of packages included. */
  files: ReadonlyMap<string, string>
}

/**
 * All files of a project that svc would load: its config, everything below `.svc/{providers,tools,agents,plugins}`, its
 * `.env` and `.mcp.json`, every file that these name by a path or import, transitively, the programs and scripts that the commands of tools
 * and MCP servers name, and each installed package that they import,
 * whole and with what it depends on; and everything in the folders of skills and commands.
 *
 * Files are found by reading, never by running, so a name that code makes while it runs is missed. That is no gap: what
 * is not found here is refused when it is loaded.
 *
 * @param also files and folders that are covered too
 */
export function trackFiles(
  { folder, configFile, dropIns, envFile, mcpFile, skills = [], commands = [] }: Project,
  also: readonly string[] = [],
): TrackedFiles {
  const tracked: TrackedFiles & { files: Map<string, string> } = { hashes: new Map(), files: new Map() }
  const { hashes, files } = tracked
  const open = [configFile, mcpFile].filter((file) => file !== undefined)
  if (dropIns !== undefined) for (const kind of DROP_IN_KINDS) open.push(...filesBelow(join(dropIns, kind)))
  for (const path of also) open.push(...(kindOf(path) === 'folder' && !isInstalled(path) ? filesBelow(path) : [path]))
  // What agents read, and what they may run by it: nothing that it names is loaded by svc.
  const programs = new Set([...skills, ...commands].flatMap((found) => filesBelow(found.folder)))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (hashes.has(file)) continue
    if (isInstalled(file)) {
      addPackage(packageOf(file), tracked)
      if (!also.includes(file)) continue
    }
    if (files.size >= MAX_FILES + MAX_PACKAGE_FILES || hashes.size >= MAX_FILES) {
      hashes.set(folder, NOT_COVERED)
      break
    }
    const bytes = tryRead(file)
    const hash = hashOf(bytes)
    hashes.set(file, hash)
    files.set(file, hash).set(realOf(file), hash)
    const isText = bytes !== undefined && extname(file) !== '.node' && extname(file) !== '.wasm'
    if (!isText) continue
    const text = bytes.toString('utf8')
    // Servers keep data in what their blocks name, so of those files only programs count.
    if (file !== mcpFile) open.push(...filesNamedIn(text, file))
    const starts = [folder, ...foldersIn(text).map((name) => resolve(folder, name))]
    for (const command of commandsIn(text))
      for (const start of starts) for (const path of programsOf(command, folder, start)) programs.add(path)
  }
  for (const path of programs) {
    // what it names is its own: only the bytes that are started count
    if (hashes.has(path)) continue
    const hash = hashOf(tryRead(path, MAX_PROGRAM_BYTES))
    hashes.set(path, hash)
    files.set(path, hash).set(realOf(path), hash)
  }
  if (envFile !== undefined) {
    // Its values are no paths of more files.
    const hash = hashOf(tryRead(envFile))
    hashes.set(envFile, hash)
    files.set(envFile, hash)
  }
  return { hashes: new Map([...hashes].sort(([a], [b]) => (a < b ? -1 : 1))), files }
}

const hashOf = (bytes: Buffer | undefined): string => (bytes === undefined ? NOT_COVERED : sha256(bytes))

function tryRead(file: string, mostBytes = mostBytesOf(file)): Buffer | undefined {
  try {
    return readBytes(file, mostBytes)
  } catch {
    return undefined
  }
}

function filesBelow(folder: string): string[] {
  if (kindOf(folder) !== 'folder') return []
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return [folder] // it cannot be listed, so it cannot be covered either
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    const kind = kindOf(path)
    if (kind === 'file') return [path]
    // A linked folder could lead in a circle; the imports of files lead into it.
    return kind === 'folder' && entry.isDirectory() && !changesByItself(path) ? filesBelow(path) : []
  })
}

/** Packages are covered by what imports them; what git and svc keep changes with each use, and no code is loaded from there. */
const changesByItself = (folder: string): boolean =>
  /^(?:node_modules|\.git)$/.test(basename(folder)) || folder.endsWith(join('.svc', 'data'))

/** Every file that a text names or imports, and each description of a package that decides where an import leads. */
function filesNamedIn(text: string, file: string): string[] {
  const { paths, imported, listed } = findNames(text, DATA_ENDINGS.includes(extname(file)) || extname(file) === '')
  const found = new Set<string>()
  // A config is read at the path that it has, and a module runs where it lies without links.
  for (const from of new Set([file, realOf(file)])) {
    const packages = [...listed].filter((name) => findInstalled(name, dirname(from)) !== undefined)
    for (const name of new Set([...imported, ...packages])) for (const path of reached(name, from)) found.add(path)
    for (const name of paths) {
      for (const path of reached(name, from)) if (FOLLOWED.has(extname(path))) found.add(path)
    }
  }
  return [...found]
}

function reached(name: string, from: string): string[] {
  if (isBuiltin(name) || isShared(name)) return []
  const descriptions: string[] = []
  const read = (file: string): Buffer => {
    descriptions.push(realOf(file))
    return tryRead(file) ?? Buffer.from('')
  }
  try {
    const found = (['import', 'require'] as const).flatMap((kind) => resolveModule(name, from, { kind, read }) ?? [])
    // What a config extends may end in what no module does.
    const data = DATA_ENDINGS.map((ending) => resolve(dirname(from), name + ending))
    const isOwn = found.some((path) => !isInstalled(path))
    return [...found, ...data.filter((guess) => kindOf(guess) === 'file'), ...(isOwn ? descriptions : [])]
  } catch {
    return [] // such as a URL of a file on another machine
  }
}

/** The folder of an installed package as seen from a folder. */
function findInstalled(name: string, folder: string): string | undefined {
  const [id = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? []
  return foldersAbove(folder)
    .map((above) => join(above, 'node_modules', id))
    .find((path) => kindOf(path) === 'folder')
}

const isInstalled = (path: string): boolean => path.split(sep).includes('node_modules')

/** The folder of the installed package that a file is of. */
function packageOf(file: string): string {
  const parts = file.split(sep)
  const start = parts.lastIndexOf('node_modules') + 1
  return parts.slice(0, start + (parts[start]?.startsWith('@') ? 2 : 1)).join(sep)
}

/** Adds an installed package, and those that it says it needs. */
function addPackage(folder: string, { hashes, files }: { hashes: Hashes; files: Map<string, string> }): void {
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const real = realOf(next)
    if (hashes.has(`${real}${sep}`)) continue
    const lines: string[] = []
    for (const file of filesBelow(real)) {
      if (!PACKAGED.has(extname(file)) || /\.d\.[cm]?ts$/.test(file)) continue
      const bytes = tryRead(file)
      if (bytes === undefined) continue // it is refused when it is loaded
      const hash = sha256(bytes)
      files.set(file, hash)
      lines.push(`${file.slice(real.length)}\0${hash}\n`)
    }
    const isWhole = files.size <= MAX_PACKAGE_FILES
    hashes.set(`${real}${sep}`, isWhole ? sha256(Buffer.from(lines.sort().join(''))) : NOT_COVERED)
    if (!isWhole) return
    for (const name of dependenciesOf(real)) {
      const found = findInstalled(name, real)
      if (found !== undefined && isInstalled(realOf(found))) open.push(found)
    }
  }
}

function dependenciesOf(folder: string): string[] {
  try {
    const content: unknown = JSON.parse(readBytes(join(folder, 'package.json')).toString('utf8'))
    if (!isRecord(content)) return []
    const { dependencies, optionalDependencies, peerDependencies } = content
    const names = [dependencies, optionalDependencies, peerDependencies].flatMap((map) =>
      isRecord(map) ? Object.keys(map) : [],
    )
    return names.filter((name) => !isShared(name))
  } catch {
    return []
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
