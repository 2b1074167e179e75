import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'

const test = suite('offline on installed packages')

const MODULES = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '../../node_modules'))
const PACKAGES = [
  'tapable',
  'cac',
  'cosmiconfig',
  'eventemitter3',
  'picocolors',
  'openai',
  'express',
  'uvu',
  'fast-check',
  'typebox',
  'stemmer',
  'js-yaml',
]

interface PackageJson {
  name: string
  version: string
  description?: string
  license?: string
  author?: string | { name: string }
  main?: string
  exports?: unknown
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
}

const manifestOf = (name: string): PackageJson =>
  JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')) as PackageJson

async function answer(name: string, question: string): Promise<Asked> {
  const folder = join(MODULES, name)
  const asked = await ask(folder, question)
  const { claims, problems } = checkCitations(asked.text, folder)
  assert.equal(problems, [], `${name}: ${question}\n${asked.text}`)
  assert.ok(
    claims.length > 0 || /I found no/.test(asked.text),
    `nothing is cited by ${name}: ${question}\n${asked.text}`,
  )
  assert.ok(asked.turns <= 6, `${name} took ${asked.turns} turns: ${question}`)
  assert.ok(asked.tokens < 40_000, `${name} took ${asked.tokens} tokens: ${question}`)
  assert.equal(asked.failed, 0, `${name}: a call failed: ${question}`)
  return asked
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ')

function includes(text: string, ...parts: readonly (string | undefined)[]): void {
  for (const part of parts)
    if (part !== undefined) assert.ok(squeeze(text).includes(squeeze(part)), `"${part}" is missing in:\n${text}`)
}

for (const name of PACKAGES) {
  const manifest = manifestOf(name)
  const author = typeof manifest.author === 'string' ? manifest.author : manifest.author?.name

  test(`explains the architecture of ${name}`, async () => {
    const { text } = await answer(name, 'Explain the architecture of this repository')
    includes(text, manifest.name, manifest.version, manifest.license)
    const folders = readdirSync(join(MODULES, name), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['node_modules', 'dist'].includes(entry.name))
      .map((entry) => entry.name)
    for (const folder of folders.slice(0, 3)) includes(text, `${folder}/`)
  })

  test(`says what ${name} is for`, async () => {
    includes((await answer(name, 'What does this package do?')).text, manifest.description)
  })

  test(`gives version, licence and author of ${name}`, async () => {
    const { text } = await answer(name, 'What is its version and license, and who is the author?')
    includes(text, manifest.version, manifest.license, author)
  })

  test(`names the entry points of ${name}`, async () => {
    const { text } = await answer(name, 'What are the entry points?')
    includes(text, manifest.main)
    const root =
      typeof manifest.exports === 'object' && manifest.exports !== null ? Object.keys(manifest.exports)[0] : undefined
    includes(text, root)
  })

  test(`lists dependencies and scripts of ${name}`, async () => {
    const needed = Object.entries(manifest.dependencies ?? {}).flat()
    const { text } = await answer(name, 'Which dependencies does this package have?')
    includes(text, ...needed)
    if (needed.length === 0) assert.match(text, /no dependencies/)
    const scripts = await answer(name, 'List the scripts')
    includes(scripts.text, ...Object.keys(manifest.scripts ?? {}))
    if (Object.keys(manifest.scripts ?? {}).length === 0) assert.match(scripts.text, /no scripts/)
  })

  test(`counts the lines of the manifest of ${name}`, async () => {
    const lines = readFileSync(join(MODULES, name, 'package.json'), 'utf8')
      .replace(/\n$/, '')
      .split('\n').length
    includes((await answer(name, 'How many lines does package.json have?')).text, `${lines} lines`)
  })

  test(`summarises the README of ${name}`, async () => {
    const readme = readdirSync(join(MODULES, name)).find((file) => /^readme\.md$/i.test(file)) ?? ''
    const { text } = await answer(name, `Summarise ${readme}`)
    const title = /^#+\s+([A-Za-z][\w ]+)$/m.exec(readFileSync(join(MODULES, name, readme), 'utf8'))?.[1]
    includes(text, readme, title)
  })

  test(`says plainly that ${name} holds nothing about what it does not know`, async () => {
    const { text } = await answer(name, 'Where is zorkFrobnicatorQuux defined?')
    assert.match(
      text,
      /^I could not answer this: I found nothing named `zorkFrobnicatorQuux`: I looked at \d+ files?\.$/,
    )
  })
}

const SYMBOLS: readonly [string, string, string][] = [
  ['tapable', 'SyncHook', 'lib/SyncHook.js'],
  ['tapable', 'HookCodeFactory', 'lib/HookCodeFactory.js'],
  ['eventemitter3', 'addListener', 'index.js'],
  ['eventemitter3', 'EventEmitter', 'index.js'],
  ['express', 'createApplication', 'lib/express.js'],
  ['stemmer', 'stemmer', 'index.js'],
  ['openai', 'APIPromise', 'core/api-promise.d.mts'],
  ['picocolors', 'createColors', 'picocolors.js'],
]
for (const [name, symbol, file] of SYMBOLS) {
  test(`finds where ${symbol} is defined in ${name}`, async () => {
    const { text } = await answer(name, `Where is ${symbol} defined and what does it do?`)
    const lines = readFileSync(join(MODULES, name, file), 'utf8').split('\n')
    const cited = [...text.matchAll(/\(?([\w./-]+):(\d+)/g)]
      .filter((match) => match[1] === file)
      .map((match) => lines[Number(match[2]) - 1] ?? '')
    assert.ok(
      cited.some((line) => line.includes(symbol)),
      `${file} is not cited for ${symbol}:\n${text}`,
    )
  })
}

test('an installed package that is missing here would be noticed', () => {
  for (const name of PACKAGES) assert.ok(existsSync(join(MODULES, name)), name)
})

test.run()
