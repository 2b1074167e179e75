import { statSync } from 'node:fs'
import { createRequire, isBuiltin, Module } from 'node:module'
import { dirname, extname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'
import { untrusted } from '../read/config-error.ts'
import { mostBytesOf, type ReadFile, readBytes } from '../read/read-data.ts'
import { compileModule, keepNative } from './compile-module.ts'
import { guardFile, isLoader } from './guard-node.ts'
import { type ImportKind, missingPackage, resolveModule } from './resolve-module.ts'

/** Where modules come from. */
export interface ModuleSource {
  /** Folder of compiled code. */
  cacheDir: string
  /**
   * Reads what trust covers, and throws for everything else. Left out: any file may be loaded, and installed packages
   * are left to Node.
   */
  read?: ReadFile | undefined
  /** Packages that are there already, by name. */
  shared: ReadonlyMap<string, unknown>
}

/** A module in the graph; what CommonJS calls `module`, without Node's own way to load more. */
interface GraphModule {
  readonly id: string
  readonly filename: string
  readonly path: string
  readonly children: unknown[]
  exports: unknown
  loaded: boolean
  require?: unknown
}

/** A module that runs or has run. */
export interface Entry {
  module: GraphModule
  /** Settles when the module has run. */
  running: Promise<void> | undefined
  /** Modules that this one waits for. */
  readonly waitsFor: Set<Entry>
  /** What was on disk when it was read. */
  readonly stamp: string
}

/** Modules by their file, without links. */
export type Entries = Map<string, Entry>

/** The first file that is not on disk as it was read; undefined where there is none. */
export const findChanged = (entries: Entries): string | undefined =>
  [...entries].find(([file, { stamp }]) => stamp !== stampOf(file))?.[0]

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
}

/** A module that is not there, and the file that asked for it. */
export class MissingModule extends Error {
  readonly code = 'MODULE_NOT_FOUND'
  readonly from: string
  /** The package that would have to be installed. */
  readonly missing: string | undefined

  constructor(name: string, from: string) {
    super(`Cannot find module '${name}'`)
    this.from = from
    this.missing = missingPackage(name, from)
  }
}

type Run = (...values: unknown[]) => unknown

const PARAMETERS = 'exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve'

/**
 * Modules that were loaded, with all that they import: TypeScript, ES modules, CommonJS, JSON and native ones.
 *
 * Each file is read once, by `read`, and the bytes that it returned are the bytes that run. However an import is spelled,
 * and whenever its name is made, it ends here: Node is asked only for its own modules.
 */
export class ModuleGraph {
  readonly #source: ModuleSource
  readonly #entries: Entries

  /** @param entries what is there already; what is loaded is added */
  constructor(source: ModuleSource, entries: Entries) {
    this.#source = source
    this.#entries = entries
  }

  /** What a file exports, by the name that another one would import it by. */
  async load(name: string, from: string): Promise<unknown> {
    const outside = this.#findOutside(name)
    if (outside !== undefined) return outside.value
    const file = this.#resolve(name, from, 'import')
    return this.#isNodes(file) ? import(pathToFileURL(file).href) : (await this.#loadFile(file)).module.exports
  }

  /** Modules that are no files of the project. */
  #findOutside(name: string): { value: unknown } | undefined {
    const { shared, read } = this.#source
    if (shared.has(name)) return { value: shared.get(name) }
    if (!isBuiltin(name)) return undefined
    return { value: isLoader(name) && read !== undefined ? this.#loaderModule() : process.getBuiltinModule(name) }
  }

  /** Node's module `module` without what would load files past the record. */
  #loaderModule(): object {
    const createOwn = (from: string | URL): unknown =>
      this.#requireOf(String(from).startsWith('file:') ? fileURLToPath(from) : String(from), undefined)
    const { builtinModules, SourceMap, findSourceMap, syncBuiltinESMExports } = Module
    const own = { builtinModules, createRequire: createOwn, isBuiltin, SourceMap, findSourceMap, syncBuiltinESMExports }
    return { ...own, Module: own }
  }

  /** What Node hands out to a file by itself is compared with the record, too. */
  #guard(file: string): void {
    const { read, cacheDir } = this.#source
    if (read === undefined) return
    const native = (path: string): string => keepNative(read(path, mostBytesOf(path)), cacheDir)
    guardFile(file, { module: () => this.#loaderModule(), native })
  }

  #isNodes(file: string): boolean {
    return this.#source.read === undefined && file.split(sep).includes('node_modules')
  }

  #resolve(name: string, from: string, kind: ImportKind): string {
    const { read = readBytes } = this.#source
    const file = name.startsWith('data:') ? undefined : resolveModule(name, from, { kind, read })
    if (file !== undefined) return file
    if (name.startsWith('data:'))
      throw untrusted(from, 'imports code from a data: URL, which no record of trust covers')
    throw new MissingModule(name, from)
  }

  async #loadFile(file: string, parent?: Entry): Promise<Entry> {
    const known = this.#entries.get(file)
    const entry = known ?? this.#start(file, true)
    // In a circle, what is there so far is what the others get.
    if (entry.running === undefined || (parent !== undefined && waitsFor(entry, parent))) return entry
    parent?.waitsFor.add(entry)
    try {
      await entry.running
    } finally {
      parent?.waitsFor.delete(entry)
    }
    return entry
  }

  /** Reads a file and begins to run it. */
  #start(file: string, isAsync: boolean): Entry {
    const { read = readBytes, cacheDir } = this.#source
    const stamp = stampOf(file)
    const bytes = read(file, mostBytesOf(file))
    const module: GraphModule = {
      id: file,
      filename: file,
      path: dirname(file),
      children: [],
      exports: {},
      loaded: false,
    }
    const entry: Entry = { module, running: undefined, waitsFor: new Set(), stamp }
    if (extname(file) === '.json') {
      module.exports = JSON.parse(textOf(bytes))
      module.loaded = true
    } else if (extname(file) === '.node') {
      process.dlopen(module, keepNative(bytes, cacheDir))
      module.loaded = true
    }
    this.#entries.set(file, entry)
    if (module.loaded) return entry
    const forget = (thrown: unknown): never => {
      this.#entries.delete(file)
      throw thrown
    }
    const finish = (): void => {
      module.loaded = true
      entry.running = undefined
      refuseBroken(module.exports)
    }
    try {
      const ended = this.#run(entry, compileModule(textOf(bytes), file, cacheDir, isAsync), isAsync)
      if (isAsync) {
        entry.running = Promise.resolve(ended).then(finish).catch(forget)
        entry.running.catch(() => {}) // those who wait for it get it
      } else finish()
    } catch (thrown) {
      forget(thrown)
    }
    return entry
  }

  #run(entry: Entry, code: string, isAsync: boolean): unknown {
    const { module } = entry
    const file = module.filename
    const wrapped = `(${isAsync ? 'async ' : ''}function (${PARAMETERS}) { ${code}\n})`
    this.#guard(file)
    const run: Run = runInThisContext(wrapped, { filename: file, displayErrors: false })
    const require = this.#requireOf(file, entry)
    module.require = require
    const importModule = async (name: unknown): Promise<unknown> => {
      const outside = this.#findOutside(String(name))
      if (outside !== undefined) return withDefault(outside.value)
      if (this.#source.read === undefined && String(name).startsWith('data:')) return import(String(name))
      const found = this.#resolve(String(name), file, 'import')
      if (this.#isNodes(found)) return withDefault(await import(pathToFileURL(found).href))
      return withDefault((await this.#loadFile(found, entry)).module.exports)
    }
    const resolve = (name: string): string =>
      isBuiltin(name) ? name : pathToFileURL(this.#resolve(name, file, 'import')).href
    return run.call(module.exports, module.exports, require, module, file, module.path, importModule, resolve)
  }

  #requireOf(file: string, entry: Entry | undefined): unknown {
    const require = (name: unknown): unknown => {
      const outside = this.#findOutside(String(name))
      if (outside !== undefined) return toRequired(outside.value)
      const found = this.#resolve(String(name), file, 'require')
      if (this.#isNodes(found)) return toRequired(createRequire(file)(found))
      const { module } = this.#entries.get(found) ?? this.#start(found, false)
      entry?.module.children.push(module)
      return toRequired(module.exports)
    }
    const resolve = (name: string): string => (isBuiltin(name) ? name : this.#resolve(name, file, 'require'))
    return Object.assign(require, { resolve, cache: Object.create(null), main: undefined })
  }
}

const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\uFEFF/, '')

function waitsFor(entry: Entry, other: Entry, seen = new Set<Entry>()): boolean {
  if (entry === other) return true
  if (seen.has(entry)) return false
  seen.add(entry)
  return [...entry.waitsFor].some((next) => waitsFor(next, other, seen))
}

/** A text that could not be compiled leaves a description of why in place of its exports. */
function refuseBroken(exports: unknown): void {
  if (typeof exports !== 'object' || exports === null || !('__JITI_ERROR__' in exports)) return
  const { filename, line, column, code, message } = exports.__JITI_ERROR__ as Record<string, unknown>
  throw new Error(`${code}: ${message} \n ${filename}:${line}:${column}`)
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** CommonJS is handed over as it is. */
const toRequired = (exported: unknown): unknown =>
  isObject(exported) && ('__esModule' in exported || Object.prototype.toString.call(exported) === '[object Module]')
    ? withDefault(exported)
    : exported

const views = new WeakMap<object, object>()

/**
 * What an import gets of what a module exports: with a `default`, and with the names of an object that is exported as
 * one, whichever of the two formats the module has.
 */
function withDefault(exported: unknown): unknown {
  if (!isObject(exported)) return exported
  const known = views.get(exported)
  if (known !== undefined) return known
  const view = new Proxy(exported, {
    get(_, key) {
      if (key === '__esModule') return true
      const inner: unknown = Reflect.get(exported, 'default')
      if (key === 'default') return inner === undefined || inner === null ? exported : toInner(exported, inner)
      if (Reflect.has(exported, key) || !isObject(inner) || inner instanceof Promise) return Reflect.get(exported, key)
      const value: unknown = Reflect.get(inner, key)
      return typeof value === 'function' ? value.bind(inner) : value
    },
  })
  views.set(exported, view)
  return view
}

/** An ES module that was compiled to CommonJS, and is imported as CommonJS, has its default inside of the default. */
function toInner(exported: object, inner: unknown): unknown {
  const isTwice = isObject(inner) && '__esModule' in exported && typeof Reflect.get(inner, 'default') === 'function'
  return isTwice ? Reflect.get(inner, 'default') : inner
}
