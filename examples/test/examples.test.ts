/** Runs every example in a process of its own and compares what it prints. SVC_UPDATE=1 writes the expectation anew. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { type Ran, runNode } from './fixtures/run-node.ts'

const test = suite('examples')

const root = fileURLToPath(new URL('../..', import.meta.url))
const examples = join(root, 'examples')
const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'expected-output.txt')))
let home = ''

const runs = new Map<string, Promise<Ran>>()

test.before(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  for (const name of names) runs.set(name, runFile(join(examples, name, 'main.ts')))
})
test.after(() => rmSync(home, { recursive: true, force: true }))

const runFile = (file: string, args: readonly string[] = []): Promise<Ran> =>
  runNode([...argumentsFor(file), ...args], { cwd: root, home, env: { HOUSE_MODEL_KEY: 'house-key' } }).done

test('there are five examples that run, each with a short README that says how to run it', () => {
  assert.equal(names, ['drop-in', 'embed-sdk', 'stages', 'swap-component', 'team'])
  for (const name of [...names, 'repositories']) {
    const readme = readFileSync(join(examples, name, 'README.md'), 'utf8')
    assert.ok(readme.trimEnd().split('\n').length <= 15, `examples/${name}/README.md is longer than 15 lines`)
    assert.ok(
      readme.includes(`npx tsx examples/${name}/main.ts`),
      `examples/${name}/README.md does not say how to run it`,
    )
  }
})

for (const name of names) {
  test(`${name} prints what its expected-output.txt says`, async () => {
    const { code, out, err } = (await runs.get(name)) ?? { code: 1, out: '', err: 'was not run' }
    assert.is(code, 0, err)
    const file = join(examples, name, 'expected-output.txt')
    if (process.env.SVC_UPDATE === '1') writeFileSync(file, out)
    const advice = `if this is wanted: SVC_UPDATE=1 node .tools/test.mjs examples, then read the difference\n`
    const expected = readFileSync(file, 'utf8')
    assert.is(out, expected, out === expected ? '' : `${advice}expected:\n${expected}\nprinted:\n${out}`)
    assert.is(err, '')
  })
}

test('the example of embedding has at most twenty lines', () => {
  const lines = readFileSync(join(examples, 'embed-sdk/main.ts'), 'utf8').trimEnd().split('\n')
  assert.ok(lines.length <= 20, `${lines.length} lines`)
})

test('the command line lists the drop-ins of the example once their folder is trusted, and not before', async () => {
  const folder = join(home, 'project')
  cpSync(join(examples, 'drop-in'), folder, { recursive: true })
  const svc = (...args: string[]) => runFile(join(root, 'cli/src/main.ts'), [...args, '--cwd', folder])

  const before = await svc('tools')
  assert.is(before.code, 0, before.err)
  assert.not.match(before.out, /count_words|reading_time/)
  assert.match(before.err, /left out because this folder is not trusted; run "svc trust"/)

  const trusting = await svc('trust')
  assert.is(trusting.code, 0, trusting.err)
  for (const file of ['house.json', 'count_words.json', 'reading_time.ts']) assert.ok(trusting.out.includes(file), file)

  const after = await svc('tools')
  assert.match(after.out, /^count_words +read +\S+count_words\.json +Count the words of a text file\./m)
  assert.match(after.out, /^reading_time +read +\S+reading_time\.ts +How long it takes/m)
  assert.is(after.err, '')
  assert.match((await svc('models')).out, /^\* +house\/small +32000 tokens +\$0\.5 in, \$1\.5 out per million/m)
})

test.run()
