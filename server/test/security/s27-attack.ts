/** A registry that hands out another package than the one that was locked. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const hashOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Installs from a lock file, with the hash of the package in it or not; and why npm refused. */
export async function install({ hasHash }: { hasHash: boolean }): Promise<{
  installed: boolean
  why: string | undefined
}> {
  const top = mkdtempSync(join(tmpdir(), 'svc-locked-'))
  const pack = (code: string): Buffer => {
    mkdirSync(join(top, 'package'), { recursive: true })
    writeFileSync(join(top, 'package/package.json'), '{"name":"part","version":"1.0.0"}')
    writeFileSync(join(top, 'package/index.js'), code)
    execFileSync('tar', ['czf', 'part.tgz', 'package'], { cwd: top })
    return readFileSync(join(top, 'part.tgz'))
  }
  const meant = hashOf(pack('good'))
  const changed = pack('evil')
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return void response.end(changed)
    const tarball = `http://${request.headers.host}/part.tgz`
    const version = { name: 'part', version: '1.0.0', dist: { tarball, integrity: hashOf(changed) } }
    response.end(JSON.stringify({ name: 'part', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const home = join(top, 'home')
  mkdirSync(home)
  const manifest = { name: 'home', version: '1.0.0', dependencies: { part: '1.0.0' } }
  const part = { version: '1.0.0', ...(hasHash && { integrity: meant }) }
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest, 'node_modules/part': part } }
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(home, 'package-lock.json'), JSON.stringify(lock))
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const args = ['ci', '--ignore-scripts', '--no-audit', '--registry', registry, '--cache', join(top, 'cache')]
  const said = await promisify(execFile)('npm', args, { cwd: home }).then(
    () => '',
    (failed: { stderr: string }) => failed.stderr,
  )
  const installed = existsSync(join(home, 'node_modules/part/index.js'))
  server.close()
  rmSync(top, { recursive: true, force: true })
  return { installed, why: /\bE[A-Z]+\b/.exec(said)?.[0] }
}
