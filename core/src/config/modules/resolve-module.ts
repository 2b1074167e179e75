import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kindOf } from '../find/paths.ts'
import { isRecord, readBytes } from '../read/read-data.ts'

/** How a module is asked for; of the conditions in `exports` and `imports`, its own count first. */
export type ImportKind = 'import' | 'require'

/** Endings that an import may leave out, in the order in which they are tried. */
const GUESSED = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.node']
/** What TypeScript calls by the name of what it would become. */
const SOURCES: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts', '.cjs': '.cts' }

interface Lookup {
  kind: ImportKind
  /** Reads a `package.json`, which decides where a name leads. */
  read(file: string): Buffer
}

/**
 * The file that an import leads to: by a path, a `file:` URL, `#name`, the name of its own package, or that of an
 * installed one. Nothing is loaded. What a path means is the same for `import` and `require`: with or without ending,
 * the index of a folder, percent signs and a query undone where no file is called so.
 *
 * @param from the file that imports
 * @returns a path without links; `undefined` where there is no such file
 * @throws what `read` throws
 */
export function resolveModule(name: string, from: string, lookup: Lookup): string | undefined {
  if (name.includes('\0')) return undefined
  const path = toPath(name, dirname(from))
  const found =
    path === undefined
      ? findNamed(name, from, lookup)
      : (findFile(path, lookup) ?? findFile(decoded(path.replace(/[?#].*$/s, '')), lookup))
  return found === undefined ? undefined : realpathSync(found)
}

/** What a name leads to when it is a path; `undefined` for a package. */
export function toPath(name: string, folder: string): string | undefined {
  if (!isModulePath(name)) return undefined
  return name.startsWith('file:') ? fileURLToPath(name) : resolve(folder, name)
}

/** Whether a module is named by its path, and not by its package. */
export function isModulePath(name: string): boolean {
  return /^file:|^\.{1,2}(\/|\\|$|[?#])|^\/|^[A-Za-z]:[\\/]/.test(name)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function findFile(path: string, lookup: Lookup, isMain = false): string | undefined {
  const [, bare = path, ending = ''] = /^(.*)(\.[cm]?js)$/s.exec(path) ?? []
  const source = SOURCES[ending]
  const names = [path, ...GUESSED.map((guess) => path + guess), ...(source === undefined ? [] : [bare + source])]
  const found = names.find((file) => kindOf(file) === 'file')
  if (found !== undefined || kindOf(path) !== 'folder') return found
  const main = isMain ? undefined : readPackage(path, lookup)?.main
  return (
    (typeof main === 'string' ? findFile(join(path, main), lookup, true) : undefined) ??
    GUESSED.map((guess) => join(path, `index${guess}`)).find((file) => kindOf(file) === 'file')
  )
}

function findNamed(name: string, from: string, lookup: Lookup): string | undefined {
  if (name.startsWith('#')) return findImported(name, from, lookup)
  const [, id = '', inner = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/s.exec(name) ?? []
  const own = findPackage(dirname(from))
  let refusal: unknown
  try {
    const { name: ownName, exports } = (own === undefined ? undefined : readPackage(own, lookup)) ?? {}
    if (own !== undefined && ownName === id && exports !== undefined) return findExported(own, exports, inner, lookup)
  } catch (thrown) {
    refusal = thrown // what may not be read has no say; an installed package of this name still has
  }
  for (const folder of foldersAbove(dirname(from))) {
    if (kindOf(join(folder, 'node_modules', id)) !== 'folder') continue
    const installed = realpathSync(join(folder, 'node_modules', id))
    const { exports } = readPackage(installed, lookup) ?? {}
    return exports === undefined
      ? findFile(join(installed, inner), lookup)
      : findExported(installed, exports, inner, lookup)
  }
  // Its name decides what is said, and nothing that is loaded: what is of no package is missing, whatever may be read.
  if (own !== undefined && refusal !== undefined && readPackage(own, { read: readBytes })?.name === id) throw refusal
  return undefined
}

/** The package that an import names and that is not installed; `undefined` for a path, and where it is. */
export function missingPackage(name: string, from: string): string | undefined {
  const [id] = /^(?:@[a-z\d._~-]{1,100}\/)?[a-z\d][a-z\d._~-]{0,200}(?=\/|$)/i.exec(name) ?? []
  if (id === undefined || isModulePath(name)) return undefined
  return foldersAbove(dirname(from)).some((folder) => kindOf(join(folder, 'node_modules', id)) === 'folder')
    ? undefined
    : id
}

function findImported(name: string, from: string, lookup: Lookup): string | undefined {
  const own = findPackage(dirname(from))
  if (own === undefined) return undefined
  const target = findTarget(readPackage(own, lookup)?.imports, name, lookup)
  if (target === undefined || target.startsWith('#')) return undefined
  return target.startsWith('.')
    ? findFile(join(own, target), lookup)
    : findNamed(target, join(own, 'package.json'), lookup)
}

/** The folder of the package that a folder belongs to. */
const findPackage = (folder: string): string | undefined =>
  foldersAbove(folder).find((above) => kindOf(join(above, 'package.json')) === 'file')

/** A folder and all above it. */
export function foldersAbove(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))]
}

function readPackage(folder: string, { read }: Pick<Lookup, 'read'>): Record<string, unknown> | undefined {
  const file = join(folder, 'package.json')
  if (kindOf(file) !== 'file') return undefined
  const bytes = read(file)
  try {
    const content: unknown = JSON.parse(bytes.toString('utf8'))
    return isRecord(content) ? content : undefined
  } catch {
    return undefined // a broken description says nothing
  }
}

function findExported(folder: string, exports: unknown, inner: string, lookup: Lookup): string | undefined {
  const paths =
    isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.')) ? exports : { '.': exports }
  const target = findTarget(paths, `.${inner}`, lookup)
  return target === undefined ? undefined : findFile(join(folder, target), lookup)
}

/** @see https://nodejs.org/api/esm.html#resolution-algorithm-specification PACKAGE_IMPORTS_EXPORTS_RESOLVE */
function findTarget(paths: unknown, key: string, { kind }: Lookup): string | undefined {
  if (!isRecord(paths)) return undefined
  const other: ImportKind = kind === 'import' ? 'require' : 'import'
  const pick = (target: unknown, star: string): string | undefined =>
    pickTarget(target, ['node', kind], star) ?? pickTarget(target, ['node', other], star)
  if (Object.hasOwn(paths, key) && !key.includes('*')) return pick(paths[key], '')
  const patterns = Object.keys(paths).flatMap((pattern) => {
    const [head = '', tail, more] = pattern.split('*')
    const fits = tail !== undefined && more === undefined && key.length >= head.length + tail.length
    return fits && key.startsWith(head) && key.endsWith(tail) ? [{ pattern, head, tail }] : []
  })
  const [best] = patterns.sort((a, b) => b.head.length - a.head.length || b.pattern.length - a.pattern.length)
  return best && pick(paths[best.pattern], key.slice(best.head.length, key.length - best.tail.length))
}

function pickTarget(target: unknown, conditions: readonly string[], star: string): string | undefined {
  if (typeof target === 'string') return target.replaceAll('*', () => star)
  const choices = Array.isArray(target)
    ? target
    : isRecord(target)
      ? Object.entries(target).flatMap(([name, inner]) =>
          name === 'default' || conditions.includes(name) ? [inner] : [],
        )
      : []
  for (const choice of choices) {
    const found = pickTarget(choice, conditions, star)
    if (found !== undefined) return found
  }
  return undefined
}
