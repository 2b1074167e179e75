/** The files that are checked, and what they import. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../packages.mjs'

/** Paths that git knows, from the root of the repository. */
export function tracked() {
  const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  return listed.filter((path) => path !== '' && existsSync(join(root, path)))
}

/** All TypeScript files below a folder. */
export function sources(folder, found = []) {
  if (!existsSync(folder)) return found
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sources(path, found)
    else if (/\.tsx?$/.test(entry.name)) found.push(path)
  }
  return found
}

/** @returns where each import and export of a file leads */
export function importsOf(file) {
  return [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)[^'"\n]*?(?:\{[^}]*\}[^'"\n]*?)?from\s+'([^']+)'|import\('([^']+)'\)/g,
    ),
  ].map(([, name, dynamic]) => name ?? dynamic)
}
