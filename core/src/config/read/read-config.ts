import { basename, dirname, extname, isAbsolute, resolve } from 'node:path'
import type { SvcConfig } from '../../contracts/config.ts'
import { SvcError } from '../../errors.ts'
import { CODE_ENDINGS, codeOf, DATA_ENDINGS, kindOf } from '../find/paths.ts'
import type { Explorer } from '../modules/explorer.ts'
import type { ModuleLoader } from '../modules/load-module.ts'
import { checkConfig } from './check-config.ts'
import { invalid } from './config-error.ts'
import { isRecord, MAX_CODE_BYTES, MAX_FILE_BYTES, parseData, type ReadFile, readBytes, toText } from './read-data.ts'
import { readLiteral } from './read-literal.ts'

/** A config file, or one that it extends. */
export interface ReadConfig {
  source: string
  config: SvcConfig
}

/**
 * Reads a trusted config file and the files that it extends, the weakest first. cosmiconfig is loaded with the first file.
 *
 * @param readFile what it reads through; throws for a file that may not be read
 * @throws ConfigError `config_invalid` naming the file and what is wrong
 */
export async function readConfig(
  file: string,
  modules: ModuleLoader,
  readFile: ReadFile = readBytes,
): Promise<ReadConfig[]> {
  const { createExplorer } = await import('../modules/explorer.ts')
  const explorer = createExplorer(modules, readFile)

  async function read(path: string, above: readonly string[]): Promise<ReadConfig[]> {
    if (above.includes(path)) throw invalid(path, `extends itself: ${[...above, path].join(' → ')}`)
    // cosmiconfig reads the file again; what it does not notice is refused here.
    toText(readFile(path, CODE_ENDINGS.includes(extname(path)) ? MAX_CODE_BYTES : MAX_FILE_BYTES), path)
    const { extends: bases = [], ...config } = absolute(
      checkConfig(await loadWith(explorer, path), path),
      dirname(path),
    )
    const below: ReadConfig[] = []
    for (const base of bases) below.push(...(await read(toBase(base, path), [...above, path])))
    return [...below, { source: path, config }]
  }

  return read(file, [])
}

async function loadWith(explorer: Explorer, file: string): Promise<unknown> {
  try {
    const result = await explorer.load(file)
    if (result?.config === undefined && CODE_ENDINGS.includes(extname(file))) {
      throw invalid(file, 'has no default export; write "export default defineConfig({ ... })"')
    }
    return result?.config
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) throw thrown
    // What is left are cosmiconfig's own errors: about $import, or an ending that it does not know.
    const message = thrown instanceof Error ? thrown.message.split('\n').join(' ') : String(thrown)
    const what = codeOf(thrown) === 'ENOENT' ? `names a file that is not there: ${message}` : message
    throw invalid(file, what, undefined, thrown)
  }
}

function toBase(base: string, file: string): string {
  if (!isAbsolute(base) && !base.startsWith('.')) {
    throw invalid(file, `/extends must hold paths of files, such as "./${base}"`)
  }
  const path = resolve(dirname(file), base)
  const found = [path, ...[...CODE_ENDINGS, ...DATA_ENDINGS].map((ending) => path + ending)].find(
    (guess) => kindOf(guess) === 'file',
  )
  if (found === undefined) throw invalid(file, `/extends names a file that is not there: ${path}`)
  return found
}

/** Paths in a file are relative to that file's folder. */
export function absolute(config: SvcConfig, folder: string): SvcConfig {
  const { policy, store } = config
  return {
    ...config,
    ...(policy?.root === undefined ? {} : { policy: { ...policy, root: resolve(folder, policy.root) } }),
    ...(store?.dir === undefined ? {} : { store: { ...store, dir: resolve(folder, store.dir) } }),
  }
}

/**
 * Reads a config as plain data: nothing of it is followed or run.
 *
 * @returns with the files that `$import` names; `undefined` for code that is more than plain values
 * @throws ConfigError `config_invalid` naming the file and what is wrong
 */
export async function readPlainConfig(file: string): Promise<{ config: SvcConfig; imports: string[] } | undefined> {
  if (CODE_ENDINGS.includes(extname(file))) {
    const stated = await readStated(file)
    if (stated === undefined) return undefined
    return { config: absolute(checkConfig(stated, file), dirname(file)), imports: [] }
  }
  const content = await parseData(toText(readBytes(file), file), file)
  const own = basename(file) === 'package.json' && isRecord(content) ? content.svc : content
  if (!isRecord(own)) return { config: checkConfig(own, file), imports: [] }
  const { $import: imports, ...fields } = own
  return {
    config: absolute(checkConfig(fields, file), dirname(file)),
    imports: imports === undefined ? [] : [imports].flat().map(String),
  }
}

/** A file that is no text is no literal. */
async function readStated(file: string): Promise<Record<string, unknown> | undefined> {
  let text: string
  try {
    text = toText(readBytes(file), file)
  } catch {
    return undefined
  }
  return readLiteral(text)
}
