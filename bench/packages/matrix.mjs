/**
 * Packs the packages, installs them with each package manager, bundles programs with each bundler, and prints what runs on
 * which version of Node. Needs the npm registry and some minutes; `npm run build` goes before.
 *
 * A program runs `2+2` on the offline provider. A page does so on a server, with what the web has and nothing of Node.
 * Bundles run in a folder where nothing is installed.
 *
 * Usage: node bench/packages/matrix.mjs [part of a row's name ...]
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { packInto } from '../../.tools/pack.mjs'
import { PACKAGES } from '../../.tools/packages.mjs'

const NODES = ['20', '22', '24']
const ANSWER = '2+2 = 4'
const MANAGERS = ['@yarnpkg/cli-dist@4', 'pnpm@10']
const ROLLUP = ['node-resolve', 'commonjs', 'json'].map((name) => `@rollup/plugin-${name}`)
const BUNDLERS = ['esbuild@0.28', 'rollup@4', 'vite@8', 'webpack@5', 'webpack-cli@6', ...ROLLUP]

const VITE_CONFIG = `export default {
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: { modulePreload: { polyfill: false }, rolldownOptions: { output: { entryFileNames: (chunk) => chunk.name === 'program' ? '[name].mjs' : 'assets/[name].js' } } },
}
`

const wanted = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'svc-matrix-'))
const tarballs = packInto(folder)
const packages = Object.fromEntries(PACKAGES.map((name, index) => [`@svc/${name}`, `file:${tarballs[index]}`]))
const alone = join(folder, 'alone')
mkdirSync(alone)

const registry = output('npm', ['config', 'get', 'registry']).trim()
const nodes = NODES.map((version) =>
  output('npx', ['--yes', '-p', `node@${version}`, '-c', 'node -p process.execPath']).trim(),
)
const tools = makeProject('tools', {})
output('npm', ['install', '--no-audit', '--no-fund', ...MANAGERS], tools)
const yarn = join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
const pnpm = join(tools, 'node_modules/pnpm/bin/pnpm.cjs')

print(
  '',
  nodes.map((node) => output(node, ['--version']).trim()),
)
try {
  if (isWanted('npm')) installWithNpm()
  if (isWanted('pnpm')) installWithPnpm()
  if (isWanted('Yarn PnP')) installWithYarn()
  bundleAll()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function isWanted(row) {
  return wanted.length === 0 || wanted.some((part) => row.includes(part))
}

function installWithNpm() {
  const project = makeProject('npm', { dependencies: packages })
  output('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], project)
  addRows('npm', project, (node, args) => [node, args])
}

function installWithPnpm() {
  const project = makeProject('pnpm', { dependencies: packages, pnpm: { overrides: packages } })
  output(process.execPath, [pnpm, 'install', '--ignore-scripts', `--registry=${registry}`], project)
  addRows('pnpm', project, (node, args) => [node, args])
}

function installWithYarn() {
  const project = makeProject('yarn', { dependencies: packages, resolutions: packages })
  const settings = { nodeLinker: 'pnp', npmRegistryServer: registry, enableTelemetry: false, enableScripts: false }
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  if (certificates !== undefined) settings.httpsCaFilePath = certificates
  writeFileSync(join(project, '.yarnrc.yml'), JSON.stringify(settings))
  writeFileSync(join(project, 'yarn.lock'), '')
  output(process.execPath, [yarn, 'install', '--no-immutable'], project)
  addRows('Yarn PnP', project, (node, args) => [node, [yarn, 'node', ...args]], [yarn, 'svc'])
}

/** Unbundled, as a program imports it, and as the command, which keeps its runs in a file. */
function addRows(manager, project, start, svc = [join(project, 'node_modules/@svc/cli/bin/svc.js')]) {
  const programs = nodes.map((node) => run(...start(node, ['program.mjs']), project))
  print(`${manager}: a program`, programs)
  const commands = nodes.map((node) => run(node, [...svc, 'run', '2+2'], project))
  print(`${manager}: svc run`, commands)
}

function bundleAll() {
  const project = makeProject('bundles', { dependencies: packages })
  output('npm', ['install', '--no-audit', '--no-fund', ...BUNDLERS], project)
  writeFileSync(join(project, 'vite.config.mjs'), VITE_CONFIG)
  writeFileSync(join(project, 'index.html'), '<script type="module" src="./page.mjs"></script>')
  const bin = (name) => join(project, 'node_modules', '.bin', name)
  const rollup = (browser, ...args) => {
    const resolve = browser ? 'node-resolve={browser:true}' : 'node-resolve={exportConditions:["node"]}'
    return [bin('rollup'), ...args, '-p', resolve, '-p', 'commonjs', '-p', 'json', '--silent']
  }
  const files = (ending) => ['--entryFileNames', `[name].${ending}`, '--chunkFileNames', `[name].${ending}`]
  const program = (name, file, command) => {
    if (!isWanted(name)) return
    const failed = bundle(name, command, project)
    const cells = nodes.map((node) => failed ?? run(node, [join(alone, file)], alone))
    print(name, cells)
  }
  const page = (name, place, command) => {
    if (!isWanted(name)) return
    const failed = bundle(name, command, project)
    const script =
      failed ??
      join(
        alone,
        place,
        readdirSync(join(alone, place)).find((path) => path.endsWith('.js')),
      )
    const cells = nodes.map((node) => failed ?? run(node, ['run-page.mjs', script], project))
    print(name, cells)
  }
  const esbuild = [bin('esbuild'), '--bundle', '--log-level=error']
  const of = (path) => join(alone, path)
  const node = ['--platform=node', 'program.mjs']
  program('esbuild, esm', 'esbuild.mjs', [...esbuild, ...node, '--format=esm', `--outfile=${of('esbuild.mjs')}`])
  program('esbuild, cjs', 'esbuild.cjs', [...esbuild, ...node, '--format=cjs', `--outfile=${of('esbuild.cjs')}`])
  for (const [format, ending] of [
    ['es', 'mjs'],
    ['cjs', 'cjs'],
  ]) {
    for (const shaken of [true, false]) {
      const place = `rollup-${format}-${shaken}`
      const args = [
        'program.mjs',
        '-f',
        format,
        '-d',
        of(place),
        ...files(ending),
        ...(shaken ? [] : ['--no-treeshake']),
      ]
      program(
        `Rollup, ${format}${shaken ? '' : ', without tree shaking'}`,
        `${place}/program.${ending}`,
        rollup(false, ...args),
      )
    }
  }
  program('Vite, for Node', 'vite/program.mjs', [bin('vite'), 'build', '--ssr', 'program.mjs', '--outDir', of('vite')])
  const webpack = ['--mode', 'production', '--target', 'node', '--entry', './program.mjs', '-o', of('webpack')]
  program('webpack, for Node', 'webpack/main.js', [bin('webpack'), ...webpack])
  const web = ['--platform=browser', '--format=iife', 'page.mjs']
  page('esbuild, for browsers', 'esbuild-page', [...esbuild, ...web, `--outdir=${of('esbuild-page')}`])
  for (const shaken of [true, false]) {
    const place = `rollup-page-${shaken}`
    const args = ['page.mjs', '-f', 'iife', '-d', of(place), ...(shaken ? [] : ['--no-treeshake'])]
    page(`Rollup, for browsers${shaken ? '' : ', without tree shaking'}`, place, rollup(true, ...args))
  }
  page('Vite, an app', 'vite-page/assets', [bin('vite'), 'build', '--outDir', of('vite-page')])
  const app = ['--mode', 'production', '--target', 'web', '--entry', './page.mjs', '-o', of('webpack-page')]
  page('webpack, for browsers', 'webpack-page', [bin('webpack'), ...app])
}

function makeProject(name, manifest) {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, version: '0.0.0', ...manifest }))
  for (const file of ['program.mjs', 'page.mjs', 'run-page.mjs'])
    copyFileSync(join(import.meta.dirname, file), join(project, file))
  return project
}

/** @returns what a program prints. @throws when it fails */
function output(program, args, cwd = folder) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 })
}

/** @returns what is put into the table where a bundler fails */
function bundle(name, [program, ...args], cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (status === 0) return undefined
  console.error(`${name}: ${stderr}${stdout}\n`)
  return 'no bundle'
}

/** @returns `yes` when the program printed the answer and ended well */
function run(program, args, cwd) {
  const env = {
    ...process.env,
    SVC_DATA_DIR: join(folder, 'data'),
    NO_COLOR: '1',
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
  }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 60_000 })
  if (status === 0 && stdout.includes(ANSWER)) return 'yes'
  console.error(`${basename(cwd)} ${args.join(' ')}: ${status}\n${stdout}${stderr}\n`)
  return 'NO'
}

function print(name, cells) {
  console.log(`${name.padEnd(44)}${cells.map((cell) => cell.padEnd(10)).join('')}`)
}
