/** The image, the compose file and the unit of systemd, without an engine for containers: what can be tried is tried. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsIn, buildImage, readDockerfile } from './fixtures/dockerfile.ts'
import { makeFolder } from './fixtures/folder.ts'

const test = suite('deployment')

const root = fileURLToPath(new URL('../..', import.meta.url))
const fileOf = (name: string): string => join(root, 'server', name)
const stages = readDockerfile(fileOf('Dockerfile'))
const isNightly = process.env.SVC_NIGHTLY === '1'
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const mayMount = spawnSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/srv']).status === 0

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

where(
  isNightly && mayMount,
  isNightly ? 'nothing may be mounted' : 'only at night',
  'the image is built, serves as its user, is healthy, and ends',
  async () => {
    const image = buildImage(stages, root)
    writeFileSync(join(image.srv, 'keys'), 'a-key\n')
    const env = { ...image.env, HOME: '/srv/data', SERVICE_API_KEY_FILE: '/srv/keys' }
    const program = [...image.entrypoint, ...image.command, '-q']
    const child = spawn('unshare', argumentsIn(image, program, image.user), { env })
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
    let said = ''
    for await (const chunk of child.stderr) {
      said += String(chunk)
      if (said.includes('listening on')) break
    }
    assert.match(said, /listening on http:\/\/0\.0\.0\.0:4000/, said)
    const health = spawnSync('unshare', argumentsIn(image, image.health, image.user), { env, encoding: 'utf8' })
    assert.is(health.status, 0, health.stderr)
    assert.is((await fetch('http://127.0.0.1:4000/v1/runs')).status, 401)
    const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' }
    const ran = await fetch('http://127.0.0.1:4000/execute', {
      method: 'POST',
      headers,
      body: '{"task":"What is 6 times 7?"}',
    })
    assert.is(((await ran.json()) as { status: string }).status, 'completed')
    child.kill('SIGTERM')
    assert.is(await exit, 143)
    assert.is(spawnSync('unshare', argumentsIn(image, image.health, image.user), { env }).status, 1)
    const size = spawnSync('du', ['-sm', join(image.srv, 'svc')], { encoding: 'utf8' }).stdout.split('\t')[0]
    console.log(`what the image adds to its base: ${size} MB`)
  },
)

test.run()
