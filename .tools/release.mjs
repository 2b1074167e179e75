/**
 * Makes a release commit and its tag: every package gets the version, the changelog's "Unreleased" its heading and date.
 * Publishes nothing.
 *
 * Usage: node .tools/release.mjs <version> [--untested]
 *
 * --untested leaves out `npm run check` and `npm test`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGES, readManifest, root } from './packages.mjs'

const VERSION = /^\d+\.\d+\.\d+(?:-[\da-z.]+)?$/
const [version, ...flags] = process.argv.slice(2)

try {
  release()
} catch (thrown) {
  console.error(thrown.message)
  process.exitCode = 1
}

function release() {
  if (version === undefined || !VERSION.test(version)) {
    throw new Error(
      `usage: node .tools/release.mjs <version> [--untested], with a version such as 0.2.0, not "${version}"`,
    )
  }
  if (git('status', '--porcelain') !== '')
    throw new Error('there are changes that are not committed: commit them first')
  if (git('tag', '--list', `v${version}`) !== '')
    throw new Error(`v${version} is there already: choose the next version`)
  setVersions()
  datePage()
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (!flags.includes('--untested')) {
    for (const script of ['check', 'test']) execFileSync('npm', ['run', script], { cwd: root, stdio: 'inherit' })
  }
  git('commit', '--all', '--quiet', '--message', `Release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `svc ${version}`)
  console.log(`committed and tagged v${version}; push both, then publish each package from its folder`)
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function edit(path, change) {
  const file = join(root, path)
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  if (after === before) throw new Error(`${path} has no place for the version ${version}`)
  writeFileSync(file, after)
}

function setVersions() {
  const { version: before } = readManifest('.')
  for (const folder of ['.', ...PACKAGES]) {
    edit(join(folder, 'package.json'), (text) =>
      text
        .replace(`"version": "${before}"`, `"version": "${version}"`)
        .replaceAll(/("@svc\/\w+": ")[^"]+"/g, (entry, start) =>
          entry.includes(before) ? `${start}${version}"` : entry,
        ),
    )
  }
  const deployed = ['Dockerfile', 'kubernetes/single/kustomization.yaml', 'kubernetes/team/kustomization.yaml']
  const others = ['core/src/runtime/version.ts', 'python/src/svc/_version.py']
  for (const path of [...others, ...deployed.map((name) => `server/deploy/${name}`)])
    edit(path, (text) => text.replace(before, version))
}

function datePage() {
  const today = new Date().toISOString().slice(0, 10)
  edit('CHANGELOG.md', (text) => text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`))
}
