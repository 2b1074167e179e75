/**
 * Finds words that this project does not use, in prose and inside identifiers, and says what to write instead.
 *
 * `node .tools/check-words.mjs [part of a path ...]` prints every place; `npm run check` fails where there is one.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './packages.mjs'

/** Pattern over words in lower case, identifiers taken apart (`createToolDoor` is "create tool door"), and the cure. */
const WORDS = [
  [/\bcorridors?\b/, 'pipeline'],
  [/\b(?:doors?|doorways?)\b/, 'gateway'],
  [/\b(?:desks?|shelf|shelves)\b/, 'the thing itself: approvals, registry, store'],
  [/\b(?:thief|thieves|steals?|stealing|stolen)\b/, 'reassign'],
  [/\b(?:heeds?|heeded|heeding)\b/, 'apply'],
  [/\bcomplain(?:s|t|ts|ed|ing)?\b/, 'report, error'],
  [/\bwho(?:m?)ever\b/, 'who, each, a user who'],
  [/\b(?:is|are|was|were|be|been) told\b/, 'say who tells: gets, receives'],
  [/\b(?:carry|carries|carried|carrying) out\b/, 'execute, run'],
  [/\blet go\b/, 'release, drain'],
  [/\bwalk past\b/, 'skip'],
  [/\blay ground\b/, 'prepare'],
]

/** Names that are wrong as identifiers only. */
const NAMES = [
  [/(?:Live|Active|Plan|Watched)Run(?![a-z])/, 'RunSession, or the noun of another thing'],
  [/\bPassing[A-Z]/, 'InMemory...'],
]

/** Words that are wrong where the pipeline is described, and right for folders, books and hotels. */
const PIPELINE = /^core\/src\/(?:runtime|contracts)\/|^plugins\/src\/assembly\//
const PIPELINE_WORDS = [
  [/\b(?:rooms?)\b/, 'stage'],
  [/\b(?:walks?|walked|walking)\b/, 'run'],
]

/** Real uses: path, and the words that may stand there. */
const ALLOWED = new Map([
  ['.tools/check-words.mjs', /./],
  // Words of the language itself, data and quotes, not names of ours.
  ['core/src/components/three-layer-memory/search/irregular-forms.ts', /^st(eal|olen)$/i],
  ['bench/quality/truth/held-out-honest.json', /./],
  ['examples/swap-component/regions/south.md', /./],
  ['examples/swap-component/regions/west.md', /./],
  ['plugins/test/providers-transport.test.ts', /^stolen$/i],
])

const READ = /\.(?:ts|mts|js|mjs|md|json|yaml|sh|py)$|^\.ci\/run$/
const SKIPPED =
  /package-lock\.json$|^bench\/truth\/(?:cases|readings)\/|^LICENSE$|\.schema\.json$|\/fixtures\/.*\.(?:json|md)$/

/** @returns one entry a place: `{ path, line, word, cure }` */
export function findForbiddenWords() {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => READ.test(path) && !SKIPPED.test(path))
    .flatMap((path) => findIn(path).map((found) => ({ path, ...found })))
}

function findIn(path) {
  const lists = [...WORDS, ...(PIPELINE.test(path) ? PIPELINE_WORDS : [])]
  const allowed = ALLOWED.get(path)
  return read(path)
    .split('\n')
    .flatMap((text, index) => {
      const apart = toWords(text)
      return [
        ...lists.flatMap(([pattern, cure]) => matches(pattern, apart, cure)),
        ...NAMES.flatMap(([pattern, cure]) => matches(pattern, text, cure)),
      ]
        .filter(({ word }) => !allowed?.test(word))
        .map((found) => ({ ...found, line: index + 1 }))
    })
}

function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return '' // removed, and not yet from the index
    throw error
  }
}

const matches = (pattern, text, cure) =>
  [...text.matchAll(new RegExp(pattern, 'g'))].map(([word]) => ({ word: word.trim(), cure }))

const toWords = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2)
  const found = findForbiddenWords().filter(
    ({ path }) => wanted.length === 0 || wanted.some((part) => path.includes(part)),
  )
  for (const { path, line, word, cure } of found) console.log(`${path}:${line}: "${word}": write ${cure}`)
  console.log(`${found.length} in ${new Set(found.map(({ path }) => path)).size} files`)
}
