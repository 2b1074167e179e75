/** Everything that must hold before a change lands, short of the tests: form, direction of imports, types, leftovers. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { findForbiddenWords } from './check-words.mjs'
import { findRegexes } from './find-regexes.mjs'
import { toPublished } from './pack-manifest.mjs'
import { PACKAGES, readManifest, root } from './packages.mjs'
import { findPublicTypes } from './public-types.mjs'
import { findSlowText } from './slow-regex.mjs'

const failures = []

/** Which of our packages each may import, and inside core which folder may import which. */
const MAY_IMPORT = {
  core: [],
  plugins: ['@svc/core'],
  sdk: ['@svc/core', '@svc/plugins'],
  server: ['@svc/core', '@svc/plugins'],
  cli: ['@svc/core', '@svc/plugins', '@svc/sdk', '@svc/server'],
}
const CORE_LAYERS = {
  support: ['support', '.'],
  contracts: ['contracts', 'support'],
  text: ['text', 'contracts', 'support'],
  runtime: ['runtime', 'contracts', 'text', 'support', '.'],
  components: ['contracts', 'text', 'support', '.'],
  config: ['config', 'contracts', 'runtime', 'text', 'support', '.'],
  testing: ['testing', 'contracts', 'components', 'runtime', 'text', 'support', '.'],
}
/** Modules beside the folders that anyone inside core may import. */
const CORE_LEAVES = new Set(['errors.ts', 'validate.ts'])
/**
 * Inside runtime, the lowest first: a room imports from lower floors alone, types included. What stands beside the folders
 * is a room of its own.
 */
const RUNTIME_FLOORS = [
  ['budget', 'calls/policy', 'hooks', 'journal', 'json-schema.ts', 'observe', 'stores', 'version.ts'],
  ['calls'],
  ['calls/model', 'calls/tools'],
  ['environment.ts', 'pipeline'],
  ['runs/service'],
  ['runs/session'],
  ['runs/worker'],
  ['runs/history'],
  ['assembly'],
  ['index.ts'],
]

/** Most files side by side, but for equals: one for each command, route, part of a contract. */
const MOST_FILES = 15
const EQUALS = ['cli/src/commands', 'core/src/contracts/store', 'server/console/src/parts', 'server/src/routes']

const MOST_WORDS = [
  [/^README\.md$/, 450],
  [/^AGENTS\.md$/, 400],
  [/^docs\/decisions\//, 250],
  [/^docs\/reference\/|^bench\/|^CHANGELOG\.md$|expected-report\.md$/, Number.POSITIVE_INFINITY],
  [/\.md$/, 1199],
]

checkImports()
checkGateways()
checkLayers()
checkTop()
checkRooms()
checkBudgets()
checkPages()
checkConsole()
checkStyles()
checkTests()
checkRegexes()
await checkBrowser()
checkWords()
run('format and lint', bin('biome'), ['check', '--error-on-warnings', '.'])
run('types', bin('tsc'), ['-b', '.'])
run('types of tests, examples and benches', bin('tsc'), ['-p', '.tools/tsconfig.test.json'])
run('reference pages', '--conditions=@svc/source', ['--import', 'tsx', '.tools/write-reference.ts', '--check'])
run('unused code', bin('knip'), ['--no-progress'])
for (const name of PACKAGES) {
  if (!existsSync(join(root, name, 'dist'))) continue
  run(`package sanity of ${name}`, bin('publint'), [name, '--strict'])
  checkTarball(name)
}
if (failures.length > 0) {
  console.error(`\n${failures.length} failed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`)
  process.exitCode = 1
} else console.log('all checks passed')

function bin(name) {
  return join(root, 'node_modules', '.bin', name)
}

function run(what, script, args) {
  try {
    execFileSync(process.execPath, [script, ...args], { cwd: root, stdio: 'pipe', encoding: 'utf8' })
    console.log(`ok    ${what}`)
  } catch (error) {
    console.log(`FAIL  ${what}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
    failures.push(what)
  }
}

function sources(folder, found = []) {
  if (!existsSync(folder)) return found
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sources(path, found)
    else if (/\.tsx?$/.test(entry.name)) found.push(path)
  }
  return found
}

function importsOf(file) {
  return [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)[^'"\n]*?(?:\{[^}]*\}[^'"\n]*?)?from\s+'([^']+)'|import\('([^']+)'\)/g,
    ),
  ].map(([, name, dynamic]) => name ?? dynamic)
}

/** contracts ← runtime, contracts ← components, core ← plugins ← {sdk, server} ← cli; runtime and components never meet. */
function checkImports() {
  for (const name of PACKAGES) {
    const src = join(root, name, 'src')
    for (const file of sources(src)) {
      for (const target of importsOf(file)) {
        const wrong = target.startsWith('@svc/')
          ? wrongPackage(name, target)
          : target.startsWith('.')
            ? wrongLayer(name, src, file, target)
            : undefined
        if (wrong !== undefined) failures.push(`${relative(root, file)} must not import ${target}: ${wrong}`)
      }
    }
  }
}

function wrongPackage(name, target) {
  const imported = target.split('/').slice(0, 2).join('/')
  return MAY_IMPORT[name].includes(imported) ? undefined : `${name} stands below it`
}

function wrongLayer(name, src, file, target) {
  const path = relative(src, resolve(dirname(file), target))
  if (path.startsWith('..')) return 'it lies outside the package'
  if (name !== 'core') return undefined
  const from = relative(src, file).split(sep)
  const to = path.split(sep)
  if (from.length === 1) return undefined // globals.ts and index.ts put the parts together
  const allowed = CORE_LAYERS[from[0]]
  if (allowed === undefined) return `the folder ${from[0]} has no place in the layers`
  if (to.length === 1)
    return allowed.includes('.') || from[0] === 'contracts'
      ? CORE_LEAVES.has(to[0])
        ? undefined
        : 'only errors and validate are for everyone'
      : `${from[0]} imports no module beside it`
  if (from[0] === 'runtime' && to[0] === 'runtime') return wrongFloor(roomOf(from.slice(1)), roomOf(to.slice(1)))
  if (from[0] === 'components' && to[0] === 'components')
    return from[1] === to[1] ? undefined : 'components never import each other'
  return allowed.includes(to[0]) ? undefined : `${from[0]} must not know ${to[0]}`
}

/** The room of a file of the runtime: its folder, and the one in that for calls and runs. */
function roomOf([first, second, third]) {
  return third !== undefined && (first === 'calls' || first === 'runs') ? `${first}/${second}` : first
}

function wrongFloor(from, to) {
  if (from === to) return undefined
  const [floor, other] = [from, to].map((room) => RUNTIME_FLOORS.findIndex((rooms) => rooms.includes(room)))
  if (floor === -1) return `runtime/${from} has no place on the floors`
  return other < floor ? undefined : `runtime/${from} must not know runtime/${to}`
}

function checkRooms() {
  const counts = new Map()
  for (const path of tracked()) {
    if (!/^(?!python)\w+\/(?:console\/)?src\//.test(path)) continue
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  }
  for (const [folder, count] of counts) {
    if (count > MOST_FILES && !EQUALS.includes(folder))
      failures.push(`${folder}: ${count} files side by side, more than ${MOST_FILES}: give those of one kind a folder`)
  }
}

/** How many lines each top folder may have is a decision: `line-budgets.json`. */
function checkBudgets() {
  const budgets = JSON.parse(readFileSync(join(root, '.tools', 'line-budgets.json'), 'utf8'))
  const lines = Object.fromEntries(Object.keys(budgets).map((name) => [name, 0]))
  for (const path of tracked()) {
    if (!/\.(?:ts|tsx|mjs|cjs|py|css)$/.test(path)) continue
    const isTest = /(?:^|\/)tests?\//.test(path)
    const name = isTest ? 'tests' : path.split('/')[0]
    if (name in lines) lines[name] += readFileSync(join(root, path), 'utf8').split('\n').length - 1
  }
  for (const [name, most] of Object.entries(budgets)) {
    if (lines[name] > most)
      failures.push(
        `${name}: ${lines[name]} lines, more than ${most}: take something out, or raise .tools/line-budgets.json`,
      )
  }
}

/** Most words of a page, as `wc -w` counts them, by the first pattern that fits; pages that programs write and records of measurements have none. */
/** A page that a person reads from top to bottom stays short; the glossary stays small. */
function checkPages() {
  for (const path of tracked().filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(root, path), 'utf8')
    const words = text.split(/\s+/).filter((word) => word !== '').length
    const [, most] = MOST_WORDS.find(([pattern]) => pattern.test(path))
    if (words > most) failures.push(`${path}: ${words} words, more than ${most}: shorten or divide it`)
  }
  const [, glossary = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## Glossary')
  const rows = glossary.split('\n## ')[0].match(/^\| (?!word|-)/gm) ?? []
  if (rows.length > 20) failures.push(`CONTRIBUTING.md: the glossary has ${rows.length} words, more than 20`)
}

function tracked() {
  const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  return listed.filter((path) => path !== '' && existsSync(join(root, path)))
}

/** A provider is asked and a tool is run in the two gateways, with their helpers, and nowhere else. */
function checkGateways() {
  const GATEWAYS = new Set([
    'core/src/runtime/calls/model/model-gateway.ts',
    'core/src/runtime/calls/model/read-answer.ts',
    'core/src/runtime/calls/tools/run-tool.ts',
    'core/src/runtime/calls/tools/tool-gateway.ts',
    'core/src/testing/check-provider.ts',
    'core/src/testing/conformance/tool-call.ts',
  ])
  for (const name of PACKAGES) {
    for (const file of sources(join(root, name, 'src'))) {
      const path = relative(root, file)
      if (GATEWAYS.has(path)) continue
      const text = readFileSync(file, 'utf8')
      const calls = [...text.matchAll(/\b(\w+)(?:\?)?\.(generate|complete|run)\(/g)].filter(
        ([, object, method]) =>
          method === 'generate' ||
          (method === 'complete' && /provider|adapter/i.test(object)) ||
          (method === 'run' && /^(tool|made|config|found)$/i.test(object)),
      )
      for (const [call] of calls) failures.push(`${path} calls ${call}): only the gateways may`)
    }
  }
}

/** What tools may do with files, the network and programs they do in the layers that ask the policy, and nowhere else. */
function checkLayers() {
  const tools = 'plugins/src/tools/'
  const layers = [
    {
      names: 'child_process|cluster|worker_threads',
      why: 'programs are started in the sandbox',
      below: '',
      // the person's own editor is no tool, nor is git that is asked what came with a folder
      may: [
        'cli/src/ask/ask-arguments.ts',
        'plugins/src/stores/sqlite/file/find-tracked.ts',
        `${tools}programs/run-program.ts`,
      ],
    },
    {
      names: 'fs|fs/promises',
      why: 'files are opened in workspace.ts',
      below: tools,
      may: [
        ...[
          'files/workspace.ts',
          'files/find/walk.ts',
          'files/missing.ts',
          'files/write-inside.ts',
          'git/git-repository.ts',
          'programs/ask-about-program.ts',
        ].map((name) => tools + name),
        ...[
          'closed-paths',
          'control-group',
          'find-sandbox',
          'kept-files',
          'program-runner',
          'toolchains',
          'view',
          'watch-program',
          'wrap',
        ].map((name) => `${tools}sandbox/${name}.ts`),
      ],
    },
    {
      names: 'https?|http2|net|tls|dgram|dns|dns/promises',
      why: 'the network is reached in guarded-fetch.ts',
      below: tools,
      may: [`${tools}web/guarded-fetch.ts`, `${tools}web/address.ts`],
    },
  ]
  for (const name of PACKAGES) {
    for (const file of sources(join(root, name, 'src'))) {
      const path = relative(root, file).split(sep).join('/')
      const text = readFileSync(file, 'utf8').replace(/^import type .*$/gm, '')
      for (const { names, why, below, may } of layers) {
        if (!path.startsWith(below) || may.includes(path)) continue
        const found = new RegExp(
          `(?:from|import|require|import\\(|require\\()\\s*['"\`](?:node:)?(?:${names})['"\`]`,
        ).exec(text)
        if (found !== null) failures.push(`${path} names ${found[0]}: ${why}, by ${may.join(', ')}`)
      }
    }
  }
}

/** What is not one of the parts of the project has no place at its top. */
function checkTop() {
  const parts = [...PACKAGES, 'python', 'examples', 'bench', 'docs']
  const pages = ['README.md', 'AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE']
  const settings = ['package.json', 'package-lock.json', 'biome.json', 'tsconfig.json', 'svc.config.ts']
  const known = new Set([...parts, ...pages, ...settings])
  for (const name of new Set(tracked().map((path) => path.split('/')[0])))
    if (!name.startsWith('.') && !known.has(name))
      failures.push(`${name}: nothing of that name belongs at the top level`)
}

/** The console asks its server by the client alone, and shows what models and tools say as text alone. */
function checkConsole() {
  const folder = join(root, 'server', 'console', 'src')
  const ours = new Set(['@svc/sdk/remote', '@svc/core/client'])
  for (const file of sources(folder)) {
    const path = relative(root, file)
    for (const target of importsOf(file)) {
      const isOutside = target.startsWith('.') && relative(folder, resolve(dirname(file), target)).startsWith('..')
      if (isOutside || (target.startsWith('@svc/') && !ours.has(target)))
        failures.push(`${path} must not import ${target}: of svc it imports ${[...ours].join(' and ')}`)
    }
    const text = readFileSync(file, 'utf8')
    for (const [found] of text.matchAll(/\b(?:fetch\(|EventSource|XMLHttpRequest|WebSocket|sendBeacon)/g))
      failures.push(`${path} names ${found}: the client of @svc/sdk makes every request`)
    for (const [found] of text.matchAll(
      /\b(?:dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b/g,
    ))
      failures.push(`${path} names ${found}: what a model or a tool said is shown as text`)
  }
}

/**
 * All styles of the console stand in one page, and stay there, whichever view they were loaded for. So a class that begins
 * a rule is of one stylesheet, and only markup beside that has it. What every view uses is in `parts` and `styles`.
 */
function checkStyles() {
  const folder = join(root, 'server', 'console', 'src')
  const paths = readdirSync(folder, { recursive: true })
  const markup = paths.filter((name) => name.endsWith('.tsx')).map((path) => [path, classesIn(join(folder, path))])
  const owners = new Map()
  for (const path of paths.filter((name) => name.endsWith('.css'))) {
    const text = readFileSync(join(folder, path), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    const classes = new Set([...text.matchAll(/(?:^|[{},])\s*\.([\w-]+)/g)].map(([, name]) => name))
    const isShared = /^(?:parts|styles)\//.test(path)
    for (const name of classes) {
      const other = owners.get(name)
      if (other === undefined) owners.set(name, path)
      else failures.push(`server/console/src/${path} styles .${name}, which is of ${other}`)
      for (const [user, used] of isShared ? [] : markup) {
        if (!used.has(name) || user.startsWith(`${dirname(path)}/`)) continue
        failures.push(
          `server/console/src/${path} styles .${name} wherever it is, and ${user} has it: begin with its own`,
        )
      }
    }
  }
}

function classesIn(path) {
  const attributes = readFileSync(path, 'utf8').matchAll(/\bclass=(?:"([^"]*)"|\{([^\n]*))/g)
  const texts = [...attributes].flatMap(([, plain, code]) => plain ?? code.match(/'[^']*'|`[^`]*`/g) ?? [])
  return new Set(texts.flatMap((text) => text.match(/[\w-]+/g) ?? []))
}

/** Words that the project does not use fail where they have been removed once, and are counted elsewhere. */
function checkWords() {
  const found = findForbiddenWords()
  for (const { path, line, word, cure } of found.filter(({ enforced }) => enforced)) {
    failures.push(`${path}:${line} says "${word}": write ${cure}`)
  }
  const counts = new Map()
  for (const { path, enforced } of found) if (!enforced) counts.set(path, (counts.get(path) ?? 0) + 1)
  for (const [path, count] of [...counts].sort((a, b) => b[1] - a[1])) {
    console.log(`words ${String(count).padStart(4)} ${path}`)
  }
}

/** What would be published: the built files, README and LICENSE, every target of `exports`, and nothing of the build itself. */
function checkTarball(name) {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: join(root, name),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(output)
  const packed = new Set(files.map(({ path }) => path))
  const wrong = [...packed]
    .filter(
      (path) =>
        !/^(?:dist\/.*\.(?:js|d\.ts)|dist\/console\/(?:index\.html|assets\/[\w.-]+\.(?:css|svg|gz))|bin\/.*\.js|README\.md|LICENSE|package\.json)$/.test(
          path,
        ),
    )
    .map((path) => `packs ${path}`)
  const { exports, dependencies, peerDependencies, peerDependenciesMeta } = toPublished(readManifest(name))
  const { reached, hidden, imports } = findPublicTypes(name)
  for (const path of hidden) if (packed.has(`dist/${path}`)) wrong.push(`packs dist/${path}, which no export reaches`)
  for (const [target, file] of imports) {
    const isInstalled = target in { ...dependencies, ...peerDependencies } && !peerDependenciesMeta?.[target]?.optional
    if (!isInstalled && !target.startsWith('node:'))
      wrong.push(`names ${target} in ${file}, which may not be installed`)
  }
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  )
  const types = reached.map((path) => `dist/${path}`)
  const missing = ['README.md', 'LICENSE', ...types, ...targets.map((target) => target.slice(2))]
    .filter((path) => !packed.has(path))
    .map((path) => `does not pack ${path}`)
  const license = (folder) => readFileSync(join(root, folder, 'LICENSE'), 'utf8')
  if (existsSync(join(root, name, 'LICENSE')) && license(name) !== license('.')) wrong.push('has another LICENSE')
  for (const finding of [...wrong, ...missing]) failures.push(`${name} ${finding}`)
}

/** What a browser loads of the built packages brings no module of Node along, not even one that a bundler could leave out. */
async function checkBrowser() {
  const entries = { '@svc/sdk/remote': 'sdk/dist/remote/index.js', '@svc/core/client': 'core/dist/client.js' }
  for (const [entry, path] of Object.entries(entries)) {
    if (!existsSync(join(root, path))) continue
    const bundle = await rolldown({
      input: join(root, path),
      platform: 'browser',
      treeshake: false,
      logLevel: 'silent',
    })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    for (const { imports } of output)
      for (const name of imports ?? []) failures.push(`${entry} brings ${name} into browsers`)
  }
}

/** No text may take a regular expression more time than its length accounts for. */
function checkRegexes() {
  const before = failures.length
  const judged = new Set()
  for (const name of PACKAGES) {
    const folders = [join(root, name, 'src'), join(root, name, 'console', 'src')]
    for (const file of folders.flatMap((folder) => sources(folder))) {
      for (const { line, source, flags } of findRegexes(file)) {
        const key = `${flags} ${source}`
        if (judged.has(key)) continue
        judged.add(key)
        const slow = findSlowText(source, flags)
        if (slow === undefined) continue
        const attack = `${JSON.stringify(slow.prefix)} + ${JSON.stringify(slow.pump)} * n + ${JSON.stringify(slow.suffix)}`
        failures.push(`${relative(root, file)}:${line} takes the square of the time, or more, for ${attack}: ${source}`)
      }
    }
  }
  console.log(`${failures.length > before ? 'FAIL ' : 'ok   '} regular expressions (${judged.size})`)
}

/** A test file without `.run()` passes without having run anything. */
function checkTests() {
  for (const name of [...PACKAGES, 'examples', 'bench', 'python']) {
    for (const file of sources(join(root, name))) {
      if (file.endsWith('.test.ts') && !/\.run\(\)\s*;?\s*$/.test(readFileSync(file, 'utf8').trimEnd())) {
        failures.push(`${relative(root, file)} does not end with .run()`)
      }
    }
  }
}
