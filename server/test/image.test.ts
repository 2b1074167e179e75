/** The image, the compose file and the unit of systemd, without an engine for containers: what can be tried is tried. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'

const test = suite('deployment')

const root = fileURLToPath(new URL('../..', import.meta.url))
const fileOf = (name: string): string => join(root, 'server', name)
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** Runs a test where it can be run; elsewhere it says why not. */
function where(isPossible: boolean, reason: string, name: string, run: () => Promise<void> | void): void {
  if (isPossible) test(name, run)
  else test.skip(`${name}: skipped, ${reason}`, () => {})
}

test('the entry script reads secrets from files, listens for others, and hands its signals on', async () => {
  const dir = makeFolder()
  writeFileSync(
    join(dir, 'svc'),
    '#!/bin/sh\necho "$*|$SVC_DATABASE_URL|$OPENAI_API_KEY|$SERVICE_API_KEY_FILE|$$"\nexec sleep 60\n',
  )
  chmodSync(join(dir, 'svc'), 0o755)
  writeFileSync(join(dir, 'url'), 'postgres://svc:it\'s$x"@db/svc\n')
  const env = {
    PATH: `${dir}:${process.env.PATH}`,
    SVC_DATABASE_URL_FILE: join(dir, 'url'),
    OPENAI_API_KEY: 'plain',
    SERVICE_API_KEY_FILE: '/run/secrets/keys',
  }
  const child = spawn(fileOf('entry.sh'), ['serve', '--port', '0'], { env })
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  )
  assert.is(line, `serve --host 0.0.0.0 --port 0|postgres://svc:it's$x"@db/svc|plain|/run/secrets/keys|${child.pid}`)
  child.kill('SIGTERM')
  assert.is(await new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal))), 'SIGTERM')
  const missing = spawnSync(fileOf('entry.sh'), ['worker'], {
    env: { ...env, OPENAI_API_KEY_FILE: join(dir, 'none') },
    encoding: 'utf8',
  })
  assert.is(missing.status, 3)
  assert.match(missing.stderr, /OPENAI_API_KEY_FILE: .*none cannot be read/)
})

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

test('the image runs the entry script as a user without rights, and every file that it copies is there', () => {
  const lines = readFileSync(fileOf('Dockerfile'), 'utf8')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  const valuesOf = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  for (const copied of valuesOf('COPY').filter((text) => !text.includes('--from=')))
    for (const path of copied.split(/\s+/).slice(0, -1)) assert.ok(existsSync(join(root, path)), path)
  assert.match(valuesOf('USER').at(-1) ?? '', /^(?!0|root)/)
  assert.match(valuesOf('ENTRYPOINT').at(-1) ?? '', 'entry.sh')
  assert.match(valuesOf('HEALTHCHECK').at(-1) ?? '', 'readyz')
})

test.run()
