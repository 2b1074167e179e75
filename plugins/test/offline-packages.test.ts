/** The offline provider on packages that are installed here; `npm run bench:offline` asks about more of them. */
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'

const test = suite('offline on installed packages')

const MODULES = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '../../node_modules'))

interface PackageJson {
  name: string
  version: string
  description: string
  license: string
  main?: string
  dependencies?: Record<string, string>
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ')

/** The answer to a question about a package: all that it cites is there, and it holds what is given. */
async function check(name: string, question: string, ...parts: readonly (string | undefined)[]): Promise<void> {
  const folder = join(MODULES, name)
  const { text, turns, tokens, failed } = await ask(folder, question)
  assert.equal(checkCitations(text, folder).problems, [], `${name}: ${question}\n${text}`)
  assert.ok(turns <= 6 && tokens < 40_000 && failed === 0, `${name}: ${question}: ${turns} turns, ${tokens} tokens`)
  for (const part of parts)
    if (part !== undefined) assert.ok(squeeze(text).includes(squeeze(part)), `"${part}" is missing in:\n${text}`)
}

for (const name of ['tapable', 'express', 'js-yaml']) {
  test(`answers about ${name} what its manifest says`, async () => {
    const manifest = JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')) as PackageJson
    const { version, license, description, main, dependencies = {} } = manifest
    await check(name, 'Explain the architecture of this repository', manifest.name, version, license)
    await check(name, 'What does this package do?', description)
    await check(name, 'What is its version and license, and who is the author?', version, license)
    await check(name, 'What are the entry points?', main)
    await check(name, 'Which dependencies does this package have?', ...Object.entries(dependencies).flat())
    await check(name, 'Where is zorkFrobnicatorQuux defined?', 'I found nothing named `zorkFrobnicatorQuux`')
  })
}

for (const [name, symbol, file] of [
  ['tapable', 'SyncHook', 'lib/SyncHook.js'],
  ['eventemitter3', 'addListener', 'index.js'],
  ['express', 'createApplication', 'lib/express.js'],
] as const) {
  test(`finds where ${symbol} is defined in ${name}`, async () => {
    const lines = readFileSync(join(MODULES, name, file), 'utf8').split('\n')
    const defined = lines.findIndex((line) =>
      new RegExp(`\\b(?:class|const|function|\\w+\\.prototype\\.)\\s?${symbol}\\b`).test(line),
    )
    assert.ok(defined >= 0)
    await check(name, `Where is ${symbol} defined and what does it do?`, `(${file}:${defined + 1}`)
  })
}

test.run()
