/** The declaration files that the exports of a built package reach. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { readManifest, root } from './packages.mjs'

/**
 * @returns `reached`, and `hidden`: the other ones, both relative to `dist`; `imports`: the packages that the reached ones
 * name, each with a file that does
 */
export function findPublicTypes(name) {
  const folder = join(root, name)
  const targets = Object.values(readManifest(name).exports ?? {}).flatMap(({ types = [] }) => types)
  const reached = new Set(targets.map((target) => resolve(folder, target)))
  const imports = new Map()
  for (const file of reached) {
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport\(|\bimport )['"]([^'"]+)['"]/g)) {
      if (target.startsWith('.')) reached.add(resolve(dirname(file), target.replace(/\.(ts|js)$/, '.d.ts')))
      else imports.set(target.match(/^(@[^/]+\/)?[^/]+/)[0], relative(root, file))
    }
  }
  const dist = join(folder, 'dist')
  const all = readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.d.ts'))
  const toPath = (path) => path.split(sep).join('/')
  return {
    reached: [...reached].map((file) => toPath(relative(dist, file))),
    hidden: all.filter((path) => !reached.has(join(dist, path))).map(toPath),
    imports,
  }
}
