/** Image, compose files and units of systemd, without an engine for containers: what can be tried is tried. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configVariables } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('deployment')

const root = fileURLToPath(new URL('../..', import.meta.url))
const fileOf = (...names: string[]): string => join(root, 'server', 'deploy', ...names)
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const isRoot = process.getuid?.() === 0

let folder = ''
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-deployment-'))
})
test.after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a test where it can be run; elsewhere it says why not. */
function where(isPossible: boolean, reason: string, name: string, run: () => Promise<void> | void): void {
  if (isPossible) test(name, run)
  else test.skip(`${name}: skipped, ${reason}`, () => {})
}

/** A setting that nothing reads would be believed: of svc's own names each must be one. */
function assertSettings(text: string): void {
  const others = ['SERVICE_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'SVC_MODEL_BASE_URL', 'SVC_LOG_FORMAT']
  const names = [...text.matchAll(/^[ ]*(?:Environment=|- name: )?((?:SVC|SERVICE|OPENAI|ANTHROPIC)_\w+)(?:[:=]|$)/gm)]
  assert.ok(names.length > 0)
  for (const [, name = ''] of names) {
    const setting = name.replace(/_FILE$/, '')
    assert.ok(configVariables().has(setting) || others.includes(setting), name)
  }
}

test('each setting that the files name is one that svc reads', () => {
  for (const name of ['compose.yaml', 'systemd/svc.service', 'systemd/svc-worker@.service', 'systemd/user/svc.service'])
    assertSettings(readFileSync(fileOf(name), 'utf8'))
})

/** What reads compose files of 2.20 or newer. */
const compose = [['docker', 'compose'], ['docker-compose']].find(([program = '', ...first]) => {
  const { stdout } = spawnSync(program, [...first, 'version', '--short'], { encoding: 'utf8' })
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  return Number(major) * 1_000 + Number(minor) >= 2_020
})

where(compose !== undefined, 'there is no Compose 2.20 or newer', 'the compose files are ones', () => {
  const [program = '', ...first] = compose ?? []
  const { status, stdout, stderr } = spawnSync(
    program,
    [...first, '-f', fileOf('compose.yaml'), '-f', fileOf('compose.sandbox.yaml'), '--profile', 'metrics', 'config'],
    { encoding: 'utf8' },
  )
  assert.is(status, 0, stderr)
  for (const service of ['server', 'worker', 'database', 'prometheus', 'grafana'])
    assert.match(stdout, new RegExp(`^  ${service}:`, 'm'))
  assert.match(stdout, /^ +- seccomp=unconfined$/m)
})

test('the set-up makes secrets once, for the owner of the project alone', () => {
  const place = join(folder, 'compose')
  const project = join(folder, 'project')
  mkdirSync(place)
  mkdirSync(project)
  writeFileSync(join(place, 'setup.sh'), readFileSync(fileOf('setup.sh')))
  const owner = isRoot ? 1000 : process.getuid?.()
  if (isRoot) spawnSync('chown', ['1000:1000', project])
  const setUp = () =>
    spawnSync('sh', [join(place, 'setup.sh'), project], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, OPENAI_API_KEY: 'a key of a test' },
    })
  const first = setUp()
  assert.is(first.status, 0, first.stderr)
  const key = readFileSync(join(place, 'secrets', 'service-keys'), 'utf8')
  assert.match(key, /^[0-9a-f]{64}$/)
  assert.is(readFileSync(join(place, 'secrets', 'openai-api-key'), 'utf8'), 'a key of a test')
  assert.match(
    readFileSync(join(place, 'secrets', 'database-url'), 'utf8'),
    `:${readFileSync(join(place, 'secrets', 'database-password'), 'utf8')}@database:5432/svc`,
  )
  assert.match(readFileSync(join(place, '.env'), 'utf8'), `SVC_PROJECT=${project}\nSVC_USER=${owner}:`)
  writeFileSync(join(place, '.env'), `${readFileSync(join(place, '.env'), 'utf8')}SVC_PORT=4010\n`)
  assert.is(setUp().status, 0)
  assert.is(readFileSync(join(place, 'secrets', 'service-keys'), 'utf8'), key)
  assert.match(readFileSync(join(place, '.env'), 'utf8'), /^GRAFANA_PASSWORD=\w{64}\nSVC_PORT=4010\nSVC_PROJECT=/)
  const mine = ['.env', ...readdirSync(join(place, 'secrets')).map((name) => join('secrets', name))]
  assert.ok(mine.length > 4)
  for (const name of mine) assert.is(statSync(join(place, name)).mode & 0o77, 0, name)
})

where(has('promtool'), 'there is no promtool', 'the configs of Prometheus are ones', () => {
  for (const name of ['prometheus.yml', 'one-machine.yml']) {
    const { status, stderr } = spawnSync('promtool', ['check', 'config', fileOf('prometheus', name)], {
      encoding: 'utf8',
    })
    assert.is(status, 0, stderr)
  }
})

where(has('systemd-analyze'), 'there is no systemd-analyze', 'systemd takes the units, and finds them confined', () => {
  const run = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  for (const name of ['svc.service', 'svc-worker@.service']) {
    // systemd looks whether the program is there, which it is on the machine of a server alone.
    const unit = readFileSync(fileOf('systemd', name), 'utf8').replace(
      '/opt/svc/node_modules/.bin/svc',
      process.execPath,
    )
    for (const [place, further] of [
      ['plain', ''],
      ['sandbox', readFileSync(fileOf('systemd', 'sandbox.conf'), 'utf8')],
    ] as const) {
      mkdirSync(join(folder, place), { recursive: true })
      const file = join(folder, place, name)
      writeFileSync(file, `${unit}\n${further}`)
      const verified = run('verify', file)
      assert.is(verified.status, 0, verified.stdout + verified.stderr)
      assert.is(verified.stderr, '')
      const { stdout } = run('security', '--offline=true', file)
      const most = place === 'plain' ? 2 : 4
      assert.ok(Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]) < most, stdout.slice(-200))
    }
  }
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
  assert.match(valuesOf('HEALTHCHECK').at(-1) ?? '', 'healthcheck.mjs')
})

where(
  existsSync(join(root, 'cli', 'dist', 'main.js')),
  'svc is not built',
  'what the image has of this repository runs svc, reads drop-ins in TypeScript, and has no compiler',
  () => {
    const target = join(folder, 'svc')
    const collected = spawnSync(process.execPath, [fileOf('collect.mjs'), target], { encoding: 'utf8' })
    assert.is(collected.status, 0, collected.stderr)
    const files = readdirSync(target, { recursive: true, encoding: 'utf8' })
    assert.equal(
      files.filter((name) =>
        /(?:^|\/)node_modules\/(?:typescript|esbuild|vite|rolldown|tsx)$|\.d\.[cm]?ts$|\.map$/.test(name),
      ),
      [],
    )
    const project = join(folder, 'with-drop-ins')
    mkdirSync(join(project, '.svc', 'tools'), { recursive: true })
    writeFileSync(
      join(project, '.svc', 'tools', 'count_words.ts'),
      `import { defineTool } from '@svc/core'
const parameters: object = { type: 'object', properties: { text: { type: 'string' } } }
export default defineTool({ id: 'count_words', description: 'counts words', risk: 'read', parameters, run: () => 1 })
`,
    )
    const { stdout, stderr, status } = spawnSync(
      join(target, 'node_modules', '.bin', 'svc'),
      ['tools', '--trust', '--json'],
      {
        cwd: project,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: project },
      },
    )
    assert.is(status, 0, stderr)
    assert.match(stdout, 'count_words', stderr)
  },
)

test.run()
