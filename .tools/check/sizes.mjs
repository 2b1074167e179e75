import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGES, root } from '../packages.mjs'
import { tracked } from './files.mjs'

/** Most files side by side, but for equals: one for each command, route, part of a contract. */
const MOST_FILES = 15
const EQUALS = ['cli/src/commands', 'core/src/contracts/store', 'server/console/src/parts', 'server/src/routes']

/** What is not one of the parts of the project has no place at its top. */
export function* checkTop() {
  const parts = [...PACKAGES, 'python', 'examples', 'bench', 'docs']
  const pages = ['README.md', 'AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE']
  const settings = ['package.json', 'package-lock.json', 'biome.json', 'tsconfig.json', 'svc.config.ts']
  const known = new Set([...parts, ...pages, ...settings])
  for (const name of new Set(tracked().map((path) => path.split('/')[0])))
    if (!name.startsWith('.') && !known.has(name)) yield `${name}: nothing of that name belongs at the top level`
}

export function* checkRooms() {
  const counts = new Map()
  for (const path of tracked()) {
    if (!/^(?!python)\w+\/(?:console\/)?src\//.test(path)) continue
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  }
  for (const [folder, count] of counts) {
    if (count > MOST_FILES && !EQUALS.includes(folder))
      yield `${folder}: ${count} files side by side, more than ${MOST_FILES}: give those of one kind a folder`
  }
}

/** How many lines each top folder may have is a decision: `line-budgets.json`. */
export function* checkBudgets() {
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
      yield `${name}: ${lines[name]} lines, more than ${most}: take something out, or raise .tools/line-budgets.json`
  }
}

/** Most words of a page, as `wc -w` counts them, by the first pattern that fits; pages that programs write and records of measurements have none. */
const MOST_WORDS = [
  [/^README\.md$/, 450],
  [/^AGENTS\.md$/, 400],
  [/^docs\/decisions\//, 250],
  [/^docs\/reference\/|^bench\/|^CHANGELOG\.md$|expected-report\.md$/, Number.POSITIVE_INFINITY],
  [/\.md$/, 1199],
]

/** A page that a person reads from top to bottom stays short; the glossary stays small. */
export function* checkPages() {
  for (const path of tracked().filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(root, path), 'utf8')
    const words = text.split(/\s+/).filter((word) => word !== '').length
    const [, most] = MOST_WORDS.find(([pattern]) => pattern.test(path))
    if (words > most) yield `${path}: ${words} words, more than ${most}: shorten or divide it`
  }
  const [, glossary = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## Glossary')
  const rows = glossary.split('\n## ')[0].match(/^\| (?!word|-)/gm) ?? []
  if (rows.length > 20) yield `CONTRIBUTING.md: the glossary has ${rows.length} words, more than 20`
}
