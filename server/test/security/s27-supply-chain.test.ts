/** S27: what is installed and what is published is what is named, and none of it runs by being installed. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('S27 supply chain')

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PACKAGES = ['core', 'plugins', 'sdk', 'server', 'cli']
/** Most packages from the registry, of the service and of all: who adds one says so here. */
const MOST = { service: 200, all: 590 }
/** Packages whose own install scripts are known; `npm ci --ignore-scripts` works without them. */
const WITH_SCRIPTS: readonly string[] = ['esbuild', 'fsevents']

interface Locked extends Named {
  version?: string
  resolved?: string
  integrity?: string
  dev?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

/** What a manifest asks for, and the lock file repeats. */
type Named = Partial<Record<(typeof FIELDS)[number], Record<string, string>>>

const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const

const read = (path: string): Record<string, unknown> => JSON.parse(readFileSync(join(root, path), 'utf8'))
const lock = read('package-lock.json').packages as Record<string, Locked>
const locked = Object.entries(lock).filter(([path, { link }]) => path.includes('node_modules/') && !link)

test('every package is pinned by its hash, from the registry, and no more of them than are known', () => {
  const service = locked.filter(([, { dev }]) => !dev)
  console.log(`packages installed: ${locked.length}, of them for the service ${service.length}`)
  assert.ok(service.length <= MOST.service, `the service has ${service.length} packages: more than ${MOST.service}`)
  assert.ok(locked.length <= MOST.all, `${locked.length} packages are installed: more than ${MOST.all}`)
  for (const [path, { integrity, resolved, version }] of locked) {
    // npm writes none for what its registry does not have, such as a program for another platform: take another version
    assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, path)
    if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
    assert.match(version ?? '', /^\d/, path)
  }
  const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
  assert.equal(
    [
      ...new Set(scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))),
    ].filter((name) => !WITH_SCRIPTS.includes(name)),
    [],
  )
})

test('the lock file is that of the manifests, and what is installed is what it names', () => {
  for (const folder of ['', ...PACKAGES]) {
    const manifest = read(join(folder, 'package.json')) as Named
    for (const field of FIELDS) assert.equal(lock[folder]?.[field], manifest[field], `${field} of ${folder || 'all'}`)
  }
  const installed = read('node_modules/.package-lock.json').packages as Record<string, Locked>
  for (const [path, { version, integrity, link }] of Object.entries(installed)) {
    if (link) continue
    assert.is(version, lock[path]?.version, path)
    assert.is(integrity, lock[path]?.integrity, path)
  }
})

test('there is a bill of materials of what the service is made of', () => {
  // `--omit dev` of npm leaves out what a tool of development needs as well: such tools are taken out of the manifests.
  const cwd = mkdtempSync(join(tmpdir(), 'svc-sbom-'))
  const write = (path: string, value: object): void => writeFileSync(join(cwd, path), JSON.stringify(value))
  for (const folder of ['', ...PACKAGES]) {
    mkdirSync(join(cwd, folder), { recursive: true })
    write(join(folder, 'package.json'), { ...read(join(folder, 'package.json')), devDependencies: {} })
  }
  const packages = Object.entries(lock).flatMap(([path, { dev, ...one }]) =>
    dev ? [] : [[path, { ...one, devDependencies: {} }]],
  )
  write('package-lock.json', { ...read('package-lock.json'), packages: Object.fromEntries(packages) })
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const bill = JSON.parse(execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  rmSync(cwd, { recursive: true })
  assert.is(bill.bomFormat, 'CycloneDX')
  const names = (bill.components as { name: string }[]).map(({ name }) => name)
  for (const name of ['express', 'libsql', 'undici', 'openai', 'pg']) assert.ok(names.includes(name), name)
  for (const name of ['fast-check', 'uvu']) assert.not.ok(names.includes(name), name)
  console.log(`parts in the bill of materials of the service: ${names.length}`)
})

test('no package of ours runs anything when it is installed, and each names its versions exactly', () => {
  for (const name of PACKAGES) {
    const { scripts = {}, dependencies = {} } = read(`${name}/package.json`) as Record<string, Record<string, string>>
    assert.equal(
      Object.keys(scripts).filter((script) => /^(pre|post)?(install|prepare)$/.test(script)),
      [],
      name,
    )
    for (const [dependency, version] of Object.entries(dependencies))
      assert.match(version, /^\d+\.\d+\.\d+$/, dependency)
  }
})

test.run()
