/** Packs the built packages as they would be published, without touching their folders. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toPublished } from './pack-manifest.mjs'
import { PACKAGES, readManifest, root } from './packages.mjs'

const PACKED = ['dist', 'bin', 'LICENSE', 'README.md']

/** Whether there is something to pack. */
export const isBuilt = (names = PACKAGES) => names.every((name) => existsSync(join(root, name, 'dist', '.npmignore')))

/**
 * @param folder where the tarballs are put, each beside the folder that it was made of
 * @returns the paths of the tarballs, in the order of the names
 */
export function packInto(folder, names = PACKAGES) {
  for (const name of names) {
    mkdirSync(join(folder, name), { recursive: true })
    for (const part of PACKED.filter((path) => existsSync(join(root, name, path))))
      cpSync(join(root, name, part), join(folder, name, part), { recursive: true })
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify(toPublished(readManifest(name)), undefined, 2))
  }
  const packages = names.map((name) => `./${name}`)
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', ...packages], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(packed).map(({ filename }) => join(folder, filename))
}
