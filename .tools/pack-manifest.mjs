/**
 * Makes a package's manifest the one that is published: without the condition `@svc/source`, whose files are not packed.
 *
 * `npm pack` and `npm publish` call it in the package's folder: `prepack` changes package.json, `postpack` restores it.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BACKUP = join('dist', '.package.json')

/** @returns the manifest as it is published */
export function toPublished({ scripts: _, ...manifest }) {
  const exports = Object.entries(manifest.exports ?? {}).map(([subpath, target]) => {
    if (typeof target === 'string') return [subpath, target]
    const { '@svc/source': _source, ...conditions } = target
    return [subpath, conditions]
  })
  return { ...manifest, exports: Object.fromEntries(exports) }
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
