/**
 * Makes a package's manifest the one that is published: without the condition `@svc/source`, whose files are not packed, and
 * without the packages that are in the bundle, save those whose types the declarations name.
 *
 * `npm pack` and `npm publish` call it in the package's folder: `prepack` changes package.json, `postpack` restores it.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBundled } from './packages.mjs'
import { findPublicTypes } from './public-types.mjs'

const BACKUP = join('dist', '.package.json')

/** @returns the manifest as it is published */
export function toPublished({ scripts: _, ...manifest }) {
  const exports = Object.entries(manifest.exports ?? {}).map(([subpath, target]) => {
    if (typeof target === 'string') return [subpath, target]
    const { '@svc/source': _source, ...conditions } = target
    return [subpath, conditions]
  })
  const { imports } = findPublicTypes(manifest.name.slice('@svc/'.length))
  const dependencies = Object.entries(manifest.dependencies).filter(([name]) => !isBundled(name) || imports.has(name))
  return { ...manifest, exports: Object.fromEntries(exports), dependencies: Object.fromEntries(dependencies) }
}

function prepack() {
  if (!existsSync('dist')) throw new Error('there is nothing to pack: run `npm run build` first')
  if (existsSync(BACKUP)) postpack() // an earlier run was interrupted
  const text = readFileSync('package.json', 'utf8')
  writeFileSync(BACKUP, text)
  writeFileSync('package.json', `${JSON.stringify(toPublished(JSON.parse(text)), undefined, 2)}\n`)
}

function postpack() {
  if (!existsSync(BACKUP)) return
  writeFileSync('package.json', readFileSync(BACKUP))
  rmSync(BACKUP)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'prepack') prepack()
  else postpack()
}
