import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Arguments for `node` that run a TypeScript file of this repository in a process of its own: the copy that the test
 * runner has built (`SVC_TEST_BUILD` names its folder), or else the source through tsx, which takes seconds longer.
 */
export function argumentsFor(file: string | URL): string[] {
  const path = resolve(typeof file === 'string' ? file : fileURLToPath(file))
  const build = process.env.SVC_TEST_BUILD
  const built = build && join(build, relative(root, path).replace(/\.ts$/, '.js'))
  if (built && existsSync(built)) return ['--conditions=@svc/source', built]
  return ['--conditions=@svc/source', '--import', import.meta.resolve('tsx'), path]
}
