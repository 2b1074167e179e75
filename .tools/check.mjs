/** Everything that must hold before a change lands, short of the tests: form, direction of imports, types, leftovers. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkGateways, checkLayers } from './check/access.mjs'
import { checkConsole, checkStyles } from './check/console.mjs'
import { checkImports } from './check/imports.mjs'
import { checkBrowser, checkTarball } from './check/published.mjs'
import { checkBudgets, checkPages, checkRooms, checkTop } from './check/sizes.mjs'
import { checkRegexes, checkTests, checkWords } from './check/source.mjs'
import { PACKAGES, root } from './packages.mjs'

const failures = []

await check('imports', checkImports)
await check('calls of models and tools', checkGateways)
await check('files, network and programs', checkLayers)
await check('top of the repository', checkTop)
await check('folders', checkRooms)
await check('lines', checkBudgets)
await check('pages', checkPages)
await check('console', checkConsole)
await check('styles of the console', checkStyles)
await check('test files', checkTests)
await check('regular expressions', checkRegexes)
await check('what a browser loads', checkBrowser)
await check('words', checkWords)
run('format and lint', bin('biome'), ['check', '--error-on-warnings', '.'])
run('types', bin('tsc'), ['-b', '.'])
run('types of tests, examples and benches', bin('tsc'), ['-p', '.tools/tsconfig.test.json'])
run('reference pages', '--conditions=@svc/source', ['--import', 'tsx', '.tools/write-reference.ts', '--check'])
run('unused code', bin('knip'), ['--no-progress'])
for (const name of PACKAGES) {
  if (!existsSync(join(root, name, 'dist'))) continue
  run(`package sanity of ${name}`, bin('publint'), [name, '--strict'])
  await check(`tarball of ${name}`, () => checkTarball(name))
}
if (failures.length > 0) {
  console.error(`\n${failures.length} failed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`)
  process.exitCode = 1
} else console.log('all checks passed')

function bin(name) {
  return join(root, 'node_modules', '.bin', name)
}

/** @param find yields a sentence for each thing that is wrong */
async function check(what, find) {
  const before = failures.length
  for await (const failure of find()) failures.push(failure)
  console.log(`${failures.length > before ? 'FAIL' : 'ok  '}  ${what}`)
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
