/** The image, the compose file and the unit of systemd, without an engine for containers: what can be tried is tried. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('deployment')

const root = fileURLToPath(new URL('../..', import.meta.url))
const fileOf = (name: string): string => join(root, 'server/deploy', name)
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** Runs a test where it can be run; elsewhere it says why not. */
function where(isPossible: boolean, reason: string, name: string, run: () => Promise<void> | void): void {
  if (isPossible) test(name, run)
  else test.skip(`${name}: skipped, ${reason}`, () => {})
}

where(has('docker-compose'), 'there is no docker-compose', 'the compose file is one', () => {
  const { status, stdout, stderr } = spawnSync(
    'docker-compose',
    ['-f', fileOf('compose.yaml'), '--profile', 'metrics', 'config'],
    { encoding: 'utf8' },
  )
  assert.is(status, 0, stderr)
  for (const service of ['server', 'worker', 'database', 'prometheus'])
    assert.match(stdout, new RegExp(`^  ${service}:`, 'm'))
  assert.match(readFileSync(fileOf('prometheus.yml'), 'utf8'), /"server:4000"/)
  assert.equal(JSON.parse(readFileSync(fileOf('compose.config.json'), 'utf8')).server.allowedHosts, ['server:4000'])
})

where(has('promtool'), 'there is no promtool', 'the config of Prometheus is one', () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'config', fileOf('prometheus.yml')], { encoding: 'utf8' })
  assert.is(status, 0, stderr)
})

where(has('systemd-analyze'), 'there is no systemd-analyze', 'systemd takes the unit, and finds it confined', () => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', fileOf('svc.service')], {
    encoding: 'utf8',
  })
  assert.is(status, 0, stdout + stderr)
  assert.is(stderr, '')
  const rated = spawnSync('systemd-analyze', ['security', '--offline=true', fileOf('svc.service')], {
    encoding: 'utf8',
  })
  assert.ok(Number(/exposure level for \S+: ([\d.]+)/.exec(rated.stdout)?.[1]) < 2, rated.stdout.slice(-200))
})

test('the image runs svc as a user without rights, and every file that it copies is there', () => {
  const lines = readFileSync(fileOf('Dockerfile'), 'utf8')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  const valuesOf = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  for (const copied of valuesOf('COPY').filter((text) => !text.includes('--from=')))
    for (const path of copied.split(/\s+/).slice(0, -1)) assert.ok(existsSync(join(root, path)), path)
  assert.match(valuesOf('USER').at(-1) ?? '', /^(?!0|root)/)
  assert.is(valuesOf('ENTRYPOINT').at(-1), '["svc"]')
  assert.match(valuesOf('HEALTHCHECK').at(-1) ?? '', 'readyz')
})

test.run()
