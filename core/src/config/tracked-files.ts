import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { dirname, extname, join, resolve, sep } from 'node:path'
import { findProject, type Project } from './find-project.ts'
import { CODE_ENDINGS, DATA_ENDINGS, DROP_IN_KINDS, kindOf } from './paths.ts'
import { MAX_CODE_BYTES, readBytes, sha256 } from './read-data.ts'

const MAX_FILES = 5_000

/** Endings that a module loader tries, and those it takes as they are. */
const GUESSED = [...CODE_ENDINGS, '.tsx', '.jsx', '.json']
const FOLLOWED = new Set([...GUESSED, ...DATA_ENDINGS, '.node', '.wasm', '.md', ''])
const TYPESCRIPT: Readonly<Record<string, string[]>> = { '.js': ['.ts', '.tsx'], '.mjs': ['.mts'], '.cjs': ['.cts'] }

/** In place of a hash: a file that cannot be read, is larger than 8 MiB, or is one of too many. Equal to no hash. */
export const NOT_COVERED = ''

/** SHA-256 of files in hexadecimal, by path. */
export type Hashes = Map<string, string>

/**
 * All files of a workspace's project that svc would load: its config, everything below `.svc/{providers,tools,agents,
 * plugins}`, every file that these name by a relative path, transitively, and its `.env`.
 *
 * Files are found by reading, never by running: each quoted text that starts with `./`, `../` or `/` and leads to a file
 * counts, and so do packages of the same project that are imported by name. Installed packages (`node_modules`) do not.
 */
export function hashTrackedFiles(workspace: string): Hashes {
  const project = findProject(workspace)
  return project === undefined ? new Map() : hashProject(project)
}

/** @see hashTrackedFiles */
export function hashProject({ folder, configFile, dropIns, envFile }: Project): Hashes {
  const hashes: Hashes = new Map()
  const open = configFile === undefined ? [] : [configFile]
  if (dropIns !== undefined) for (const kind of DROP_IN_KINDS) open.push(...filesBelow(join(dropIns, kind)))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (hashes.has(file)) continue
    if (hashes.size >= MAX_FILES) {
      hashes.set(folder, NOT_COVERED)
      break
    }
    const bytes = tryRead(file)
    hashes.set(file, hashOf(bytes))
    const isText = bytes !== undefined && extname(file) !== '.node' && extname(file) !== '.wasm'
    if (isText) open.push(...filesNamedIn(bytes.toString('utf8'), file))
  }
  // Its values are no paths of more files.
  if (envFile !== undefined) hashes.set(envFile, hashOf(tryRead(envFile)))
  return new Map([...hashes].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const hashOf = (bytes: Buffer | undefined): string => (bytes === undefined ? NOT_COVERED : sha256(bytes))

function tryRead(file: string): Buffer | undefined {
  try {
    return readBytes(file, MAX_CODE_BYTES)
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
    return kind === 'folder' && entry.isDirectory() && entry.name !== 'node_modules' ? filesBelow(path) : []
  })
}

const QUOTED_PATH = /["'`]((?:\.{1,2}\/|\/|file:)[^"'`\n]{0,1000})["'`]/g
const IMPORTED_NAME = /(?:from|import|require)\s{0,20}\(?\s{0,20}["'`]([@#\w][^"'`\n]{0,300})["'`]/g
const MAIN_FIELD = /"main"\s{0,20}:\s{0,20}"([^"\n]{1,300})"/
const UNQUOTED_PATH = /(?:^|[\s:,[-])(\.{1,2}\/[^\s,"'\]}#]{1,500})/g

/** Every file that a text names, whether it is a module, a config or a description of a package. */
function filesNamedIn(text: string, file: string): string[] {
  const found = new Set<string>()
  const folders = new Set([dirname(file), dirname(realOf(file))])
  const isData = DATA_ENDINGS.includes(extname(file)) || extname(file) === ''
  for (const readable of text.includes('\\') ? [text, unescaped(text)] : [text]) {
    const paths = [...readable.matchAll(QUOTED_PATH), ...(isData ? readable.matchAll(UNQUOTED_PATH) : [])]
    const main = file.endsWith('package.json') ? MAIN_FIELD.exec(readable)?.[1] : undefined
    for (const path of [...paths.map(([, path = '']) => path), ...(main === undefined ? [] : [main])]) {
      for (const folder of folders)
        for (const candidate of candidates(resolve(folder, withoutScheme(path)))) found.add(candidate)
    }
    for (const [, name = ''] of isData ? [] : readable.matchAll(IMPORTED_NAME)) {
      for (const folder of folders) for (const candidate of packageFiles(name, folder)) found.add(candidate)
    }
  }
  return [...found]
}

const withoutScheme = (path: string): string =>
  path.startsWith('file:') ? path.slice(5).replace(/^\/\/(?=\/)/, '') : path

/** The text with its escapes undone, so that `'.\x2fa.ts'` names what it imports. */
function unescaped(text: string): string {
  return text
    .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\})/gi, (whole, two, four, any) => {
      const point = Number.parseInt(two ?? four ?? any, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole
    })
    .replace(/\\([./])/g, '$1')
}

/** Every file that a module loader could take for a path, not only the first: one that appears later is a change. */
function candidates(path: string): string[] {
  const ending = extname(path)
  const folder = kindOf(path) === 'folder'
  const guesses = [
    path,
    ...GUESSED.map((guess) => path + guess),
    ...(TYPESCRIPT[ending] ?? []).map((guess) => path.slice(0, -ending.length) + guess),
    ...(folder ? [join(path, 'package.json'), ...GUESSED.map((guess) => join(path, `index${guess}`))] : []),
  ]
  return guesses.filter((guess) => FOLLOWED.has(extname(guess)) && kindOf(guess) === 'file')
}

/** For an import by name: the files of the package, where it is a part of this project and not an installed one. */
function packageFiles(name: string, from: string): string[] {
  if (name.startsWith('node:') || name.startsWith('@svc/')) return []
  const parts = name.split('/')
  const id = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/')
  for (let folder = from; ; folder = dirname(folder)) {
    const description = join(folder, 'package.json')
    // `#name` and the package's own name are looked up in the nearest description.
    if (kindOf(description) === 'file' && (name.startsWith('#') || readsAs(description, id))) return [description]
    const installed = join(folder, 'node_modules', id)
    if (!name.startsWith('#') && kindOf(installed) === 'folder') {
      const real = realOf(installed)
      if (real.split(sep).includes('node_modules')) return []
      const inner = parts.slice(id.split('/').length)
      return [
        ...candidates(join(real, 'package.json')),
        ...(inner.length > 0 ? candidates(join(real, ...inner)) : candidates(real)),
      ]
    }
    if (dirname(folder) === folder) return []
  }
}

function readsAs(description: string, id: string): boolean {
  try {
    const content: unknown = JSON.parse(readBytes(description).toString('utf8'))
    return typeof content === 'object' && content !== null && 'name' in content && content.name === id
  } catch {
    return false
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
