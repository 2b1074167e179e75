/** The code in the READMEs and in the tutorials runs. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'

const test = suite('code in the READMEs')

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where our packages are found: in what the test runner has built, or else as sources. */
const packages = process.env.SVC_TEST_BUILD || root
const TYPESCRIPT = ['--conditions=@svc/source', '--import', import.meta.resolve('tsx')]

/** The blocks of a page as one module: imports first and once, each block in a scope of its own. */
function toModule(markdown: string): { source: string; blocks: number } {
  const blocks = [...markdown.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
  const isImport = (line: string): boolean => line.startsWith('import ')
  const imports = new Set(blocks.flatMap((code) => code.split('\n').filter(isImport)))
  const bodies = blocks.map(
    (code) =>
      `{\n${code
        .split('\n')
        .filter((line) => !isImport(line))
        .join('\n')}}\n`,
  )
  return { source: `${[...imports].join('\n')}\n${bodies.join('')}`, blocks: blocks.length }
}

interface Ran {
  code: number | null
  out: string
  err: string
}

/** Runs Node. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const variables = { PATH: process.env.PATH, NO_COLOR: '1', ...env }
    const child = spawn(process.execPath, args, { cwd: root, env: variables })
    const ran: Ran = { code: null, out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      ran.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      ran.err += chunk
    })
    child.on('close', (code) => resolve({ ...ran, code }))
    child.stdin.end()
  })
}

/** Runs a module as if it stood beside our packages. */
async function runModule(source: string): Promise<Ran> {
  const file = join(packages, `.readme-${process.pid}.mts`)
  writeFileSync(file, source)
  try {
    return await run([...TYPESCRIPT, file])
  } finally {
    rmSync(file)
  }
}

test('each of the seven components works alone as the README of core says, in at most ten lines', async () => {
  const markdown = readFileSync(`${root}core/README.md`, 'utf8')
  const { source, blocks } = toModule(markdown)
  assert.is(blocks, 7)
  for (const [, code = ''] of markdown.matchAll(/```ts\n(.*?)```/gs)) {
    assert.ok(code.trimEnd().split('\n').length <= 10, code)
  }
  const { code, out, err } = await runModule(source)
  assert.is(code, 0, err)
  assert.match(out, /^0\.21 PARALLEL 3\nIt falls into 3 parts/)
  assert.match(out, /^The release train leaves on Thursdays\. false$/m)
  assert.match(out, /^revise \[ 'arithmetic: /m)
})

for (const name of ['plugins', 'sdk']) {
  test(`the code in the README of ${name} runs`, async () => {
    const { source, blocks } = toModule(readFileSync(`${root}${name}/README.md`, 'utf8'))
    assert.is(blocks, 1)
    const { code, out, err } = await runModule(source)
    assert.is(code, 0, err)
    assert.match(out, /17% of 2340 = 397\.8/)
  })
}

const TUTORIALS = ['plugins', 'tools', 'providers', 'testing']

/** The block of a page that follows a text. */
function blockAfter(markdown: string, text: string): string {
  const at = markdown.indexOf(text)
  assert.ok(at >= 0, `"${text}" does not stand in the page`)
  const [, code = ''] = /```(?:ts|json)\n(.*?)```/s.exec(markdown.slice(at)) ?? []
  return code
}

test('plugin, tools, provider and test of the tutorials work when they are copied', async () => {
  const page = TUTORIALS.map((name) => readFileSync(`${root}docs/${name}.md`, 'utf8')).join('\n')
  const home = mkdtempSync(join(tmpdir(), 'svc-readme-'))
  try {
    const project = join(home, 'project')
    const files = {
      '.svc/plugins/careful.ts': blockAfter(page, '## A plugin: '),
      '.svc/tools/count_words.json': blockAfter(page, '## A tool: '),
      '.svc/tools/reading_time.ts': blockAfter(page, 'In code (`.svc/tools/reading_time.ts`)'),
      '.svc/providers/house.json': blockAfter(page, '## A provider: '),
      'careful.test.ts': blockAfter(page, '## A test of a plugin'),
      'package.json': '{ "type": "module" }',
      'README.md': 'Three words here.',
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), content)
    }
    const svc = (...args: string[]) =>
      run([...argumentsFor(join(root, 'cli/src/main.ts')), ...args, '--cwd', project], {
        HOME: home,
        HOUSE_MODEL_KEY: 'x',
      })

    assert.match((await svc('plugins')).err, /left out because this folder is not trusted/)
    assert.is((await svc('trust')).code, 0)
    assert.match((await svc('plugins')).out, /^ +3 +careful +\S+careful\.ts +amends the answer$/m)
    assert.match((await svc('tools')).out, /^count_words +read .*\n^reading_time +read /m)
    assert.match((await svc('models')).out, /^\* +house\/llama3\.2 +32000 tokens/m)
    const used = await svc('run', 'Use count_words on README.md', '--provider', 'offline')
    assert.match(used.out, /`count_words` says:\n- "3 README\.md"/, used.err)

    symlinkSync(join(packages, 'node_modules'), join(project, 'node_modules'))
    const tested = await run([...TYPESCRIPT, join(project, 'careful.test.ts')])
    assert.is(tested.out, 'There are files. CENTRALIZED 4\n', tested.err)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

test.run()
