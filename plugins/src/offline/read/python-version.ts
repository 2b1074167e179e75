import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { depthOf } from '../paths.ts'
import type { ToolSession } from '../tool-session.ts'
import type { Fact, Manifest } from './manifest.ts'
import { isTestPath } from './symbols.ts'

/**
 * The version of a package, where the manifest says that it stands in the code: `attr: package.__version__`, `dynamic`.
 *
 * @returns undefined where neither says
 */
export function* readVersion(session: ToolSession, manifest: Manifest): Look<Fact | undefined> {
  const said = manifest.fact('version')
  if (manifest.ecosystem !== 'python' || (said && /^\d/.test(said.value))) return said
  const [assigned, listed] = [
    yield* session.search('__version__', { pattern: '*.py', limit: 60 }),
    yield* readPackageInfo(session),
  ]
  const found = (assigned?.hits ?? [])
    .filter(({ path }) => !isTestPath(path) && !/(?:^|\/)docs?\//.test(path))
    .flatMap(({ path, line, text }) => {
      const value = /^__version__\s*(?::\s*\w+\s*)?=\s*["']([^"']+)["']/.exec(text)?.[1]
      return value === undefined ? [] : [{ value, cites: [at(path, line)], depth: depthOf(path) }]
    })
    .sort((a, b) => a.depth - b.depth)[0]
  return found ?? listed
}

/** What a published source says of itself, at its top. */
function* readPackageInfo(session: ToolSession): Look<Fact | undefined> {
  const found = yield* session.search('Version: ', { pattern: 'PKG-INFO', limit: 20 })
  const hit = found?.hits.find(({ path, text }) => path === 'PKG-INFO' && /^Version: \d/.test(text))
  return hit && { value: hit.text.slice('Version: '.length).trim(), cites: [at(hit.path, hit.line)] }
}
