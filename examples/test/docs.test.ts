/** The pages keep their promises: their links, and the code in them. */
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
import { dirname, join } from 'node:path'
import { configVariables } from '@svc/core/config'
import { createClient } from '@svc/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anchorOf } from '../../.tools/reference/markdown.ts'
import { BLOCKS, packages, pages, root } from './fixtures/page-blocks.ts'

const test = suite('docs')

const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Blocks of code of one language, in order. */
const blocks = (page: string, language: string): string[] =>
  BLOCKS.filter((block) => block.page === page && block.language === language).map(({ code }) => code)

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
  // Those of fields stand in the reference, field by field.
  const ofFields = new Set([...configVariables().keys()].flatMap((name) => [name, `${name}_FILE`]))
  const [said, known] = [pages(join(root, 'docs')), sources].map((files) =>
    namesIn(files).filter((name) => !ofFields.has(name)),
  )
  assert.equal(said, known)
})

test('the plugins and the provider of the pages work as drop-ins', async () => {
  const [careful = '', secondLook = '', shout = ''] = blocks('docs/plugins.md', 'ts')
  const [readingTime = ''] = blocks('docs/tools.md', 'ts')
  const [countWords = ''] = blocks('docs/tools.md', 'json').filter((block) => block.includes('"wc"'))
  const folder = makeProject({
    '.svc/plugins/careful.ts': careful,
    '.svc/plugins/second-look.ts': secondLook,
    '.svc/plugins/shout.ts': shout,
    '.svc/providers/echo.ts': blocks('docs/providers.md', 'ts')[0] ?? '',
    '.svc/tools/weather.json': blocks('docs/tools.md', 'json').find((block) => block.includes('"http"')) ?? '',
    '.svc/tools/count_words.json': countWords,
    '.svc/tools/reading_time.ts': readingTime,
    'README.md': '# Demo\n',
  })
  const client = await createClient({ cwd: folder, trust: true, env: { HOME: folder }, provider: 'echo' })
  try {
    const { tools, plugins } = await client.describe()
    const ids = [...tools.map(({ id }) => id), ...plugins.map(({ name }) => name)]
    for (const id of ['shout', 'weather', 'count_words', 'reading_time', 'careful']) assert.ok(ids.includes(id), id)
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
