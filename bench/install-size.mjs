/**
 * Measures what an installation brings along: the packages are packed as they would be published, the tarballs installed
 * together into an empty folder, and the packages there counted, with their megabytes on disk.
 *
 * Aims: at most 25 packages and 20 MB for the SDK, 120 and 30 MB with the server, 130 and 60 MB with the command line, which
 * brings SQLite along. A package that is not built is left out and named. Needs the npm registry.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isBuilt, packInto } from '../.tools/pack.mjs'
import { toRow } from './measure.mjs'

const SETS = [
  { name: 'SDK', packages: ['core', 'plugins', 'sdk'], most: 25, mostMb: 20 },
  { name: 'SDK and server', packages: ['core', 'plugins', 'sdk', 'server'], most: 120, mostMb: 30 },
  { name: 'command line', packages: ['core', 'plugins', 'sdk', 'server', 'cli'], most: 130, mostMb: 60 },
]
const run = promisify(execFile)
const npm = (args, cwd) => run('npm', [...args, '--no-audit', '--no-fund'], { cwd, maxBuffer: 1 << 26 })

export async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-install-'))
  try {
    const rows = []
    for (const { name, packages, most, mostMb } of SETS) {
      const target = join(folder, name.replaceAll(' ', '-'))
      await mkdir(target)
      const built = packages.filter((each) => isBuilt([each]))
      const missing = packages.filter((each) => !built.includes(each))
      const title = missing.length === 0 ? name : `${name} without ${missing.join(', ')}`
      const tarballs = packInto(target, built)
      await writeFile(join(target, 'package.json'), '{ "name": "empty", "private": true }')
      await npm(['install', '--omit=dev', '--ignore-scripts', ...tarballs], target)
      const { count, bytes } = await weigh(join(target, 'node_modules'))
      rows.push(toRow({ name: `packages of ${title}`, value: count, unit: 'packages', aim: most }))
      rows.push(toRow({ name: `size of ${title}`, value: bytes / 1e6, unit: 'MB', aim: mostMb }))
    }
    return rows
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Counts every package folder, nested ones too, and adds up the files. */
async function weigh(folder) {
  let count = 0
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      const below = await weigh(path)
      count += below.count
      bytes += below.bytes
    } else if (entry.isFile()) {
      bytes += (await stat(path)).size
      if (entry.name === 'package.json' && (await isPackage(path))) count++
    }
  }
  return { count, bytes }
}

/** A package.json with a name and a version directly below node_modules or a scope; others mark parts of a package. */
async function isPackage(path) {
  if (!/node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path)) return false
  const { name, version } = JSON.parse(await readFile(path, 'utf8'))
  return name !== undefined && version !== undefined
}
