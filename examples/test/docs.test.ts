/** The pages keep their promises: their links, and the code in them. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@svc/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('docs')

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where our packages are found: in what the test runner has built, or else as sources. */
const packages = process.env.SVC_TEST_BUILD || root
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Every Markdown page of the repository that is ours. */
function pages(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : pages(path)
    return entry.name.endsWith('.md') ? [relative(root, path)] : []
  })
}

/** Blocks of code of one language, in order. */
const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code)

test('every decision says what was chosen, why, at what cost, and where it is', () => {
  const files = readdirSync(join(root, 'docs/decisions'))
  assert.equal(
    files.map((name) => name.slice(0, 3)),
    files.map((_, index) => String(index + 1).padStart(3, '0')),
  )
  for (const file of files) {
    const page = read(`docs/decisions/${file}`)
    for (const part of ['**Choice.**', '**Why.**', '**Cost.**', '**Code.**'])
      assert.ok(page.includes(part), `${file}: ${part}`)
  }
})

/** The anchor that a heading has on the usual hosts. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

test('every link to a file of the repository leads somewhere', () => {
  const broken: string[] = []
  for (const page of pages()) {
    // A report names runs of the folder that an experiment makes.
    if (page.endsWith('/expected-report.md')) continue
    const text = read(page).replace(/```.*?```/gs, '')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, file))) broken.push(`${page}: ${target}`)
      else if (anchor !== undefined) {
        const anchors = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
        if (!anchors.includes(anchor)) broken.push(`${page}: ${target}`)
      }
    }
  }
  assert.equal(broken, [])
})

/** A folder with files, in which our packages are found. */
function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

test('every variable that svc reads is on a page, and every variable of the pages is read', () => {
  const NAME = /\b(?:SVC|SERVICE|OTEL)_[A-Z_]*[A-Z]\b/g
  const namesIn = (files: readonly string[]): string[] =>
    [...new Set(files.flatMap((file) => read(file).match(NAME) ?? []))]
      .filter((name) => !/^SVC_TEST_/.test(name))
      .sort()
  const sources = ['core', 'plugins', 'sdk', 'server', 'cli'].flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, 'src', name)),
  )
  const docs = pages(join(root, 'docs'))
  assert.equal(namesIn(docs), namesIn(sources))
})

test('the code in the README and in the pages about testing and config runs', () => {
  const [readme = ''] = blocks('README.md', 'ts')
  assert.ok(readme.trimEnd().split('\n').length <= 8, 'the README shows at most eight lines')
  const folder = makeProject({
    'package.json': '{ "type": "module" }',
    'README.md': '# Demo\n\nIt counts widgets.\n',
    'readme.ts': readme,
    '.svc/plugins/careful.ts': blocks('docs/plugins.md', 'ts')[0] ?? '',
    'check.ts': blocks('docs/testing.md', 'ts')[1] ?? '',
    'config.ts': `${blocks('docs/config.md', 'ts')[0]}`,
  })
  try {
    const run = (file: string): string =>
      execFileSync(
        process.execPath,
        ['--conditions=@svc/source', '--import', import.meta.resolve('tsx'), join(folder, file)],
        {
          cwd: folder,
          env: { PATH: process.env.PATH, HOME: folder },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
    assert.match(run('readme.ts'), /^completed\n/)
    assert.is(run('check.ts'), '[]\n[]\n')
    assert.is(run('config.ts'), '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the plugins and the provider of the pages work as drop-ins', async () => {
  const [, secondLook = '', shout = ''] = blocks('docs/plugins.md', 'ts')
  const folder = makeProject({
    '.svc/plugins/second-look.ts': secondLook,
    '.svc/plugins/shout.ts': shout,
    '.svc/providers/echo.ts': blocks('docs/providers.md', 'ts')[0] ?? '',
    '.svc/tools/weather.json': blocks('docs/tools.md', 'json').find((block) => block.includes('"http"')) ?? '',
    'README.md': '# Demo\n',
  })
  const client = await createClient({ cwd: folder, trust: true, env: { HOME: folder }, provider: 'echo' })
  try {
    const { tools } = await client.describe()
    const ids = tools.map(({ id }) => id)
    assert.ok(ids.includes('shout') && ids.includes('weather'), ids.join())
    const result = await client.run('Say hello.', { topology: 'SINGLE' })
    assert.match(result.summary, /Say hello\./)
    assert.equal(
      result.reflection?.checks.map(({ id }) => id),
      ['second-look'],
    )
  } finally {
    await client.disconnect()
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
