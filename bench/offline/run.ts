/**
 * How well does the provider `offline` answer questions about real packages? `npm run bench:offline -- [--python PATH]
 * [--set dev|held-out] [--show] [package…]`
 *
 * Asks up to eight questions about each of twenty packages of npm that are installed here, and about five Python projects in
 * PATH (folders `name-version` as they are published), whose answers are known by other means: from the manifest, by
 * loading the package, by plain searches. An answer is right (what was asked stands in its first
 * lines), nothing (it says that it found none), beside (something else) or wrong (a false statement, a miscount, a
 * quotation that does not stand in the lines it cites). Aims: right at least 60 %, wrong at most 1 %.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask } from '../../plugins/test/fixtures/ask-offline.ts'
import { toTable } from '../table.mjs'
import { type Project, readProject } from './project.ts'
import { questionsFor } from './questions.ts'
import { type Score, score } from './score.ts'

/** Those of `held-out` are not looked at while the provider is worked on. */
const SETS = {
  dev: 'express tapable eventemitter3 fast-check helmet pg semver form-data zod autocannon Jinja2 pyjwt',
  'held-out':
    'cosmiconfig typebox undici uvu qs jiti js-yaml commander router prom-client itsdangerous pluggy hatchling',
}
const SCORES: readonly Score[] = ['right', 'nothing', 'beside', 'wrong']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { python: { type: 'string' }, set: { type: 'string' }, show: { type: 'boolean' } },
})
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

for (const [set, names] of Object.entries(SETS)) {
  if (values.set !== undefined && values.set !== set) continue
  const results: { kind: string; score: Score }[] = []
  for (const name of names.split(' ')) {
    const folder = folderOf(name)
    if (folder === undefined || (positionals.length > 0 && !positionals.includes(name))) continue
    results.push(...(await measure(readProject(folder, name))))
  }
  report(set, results)
}

function folderOf(name: string): string | undefined {
  const python = values.python === undefined ? [] : readdirSync(values.python)
  const own = python.find((folder) => folder.startsWith(`${name}-`))
  if (own !== undefined && values.python !== undefined) return join(values.python, own)
  return readdirSync(modules).includes(name) ? join(modules, name) : undefined
}

async function measure(project: Project): Promise<{ kind: string; score: Score }[]> {
  const results = []
  for (const question of questionsFor(project)) {
    const { text } = await ask(project.folder, question.text)
    const scored = score(question, text, project)
    results.push({ kind: question.kind, score: scored.score })
    if (values.show === true)
      console.log(
        `\n== ${scored.score} ${scored.why} · ${project.name} · ${question.kind} · ${question.text}\n${text.split('\n').slice(0, 14).join('\n')}`,
      )
  }
  return results
}

function report(set: string, results: readonly { kind: string; score: Score }[]): void {
  const row = (name: string, own: readonly { score: Score }[]): string[] => [
    name,
    ...SCORES.map((one) => String(own.filter((result) => result.score === one).length)),
  ]
  const kinds = [...new Set(results.map(({ kind }) => kind))].sort()
  const rows = kinds.map((kind) =>
    row(
      kind,
      results.filter((result) => result.kind === kind),
    ),
  )
  console.log(`\n${toTable([set, ...SCORES], [...rows, row('all', results)], [1, 2, 3, 4]).join('\n')}`)
  const share = (one: Score): string =>
    `${((100 * results.filter((result) => result.score === one).length) / Math.max(1, results.length)).toFixed(1)} %`
  console.log(`${results.length} questions: ${SCORES.map((one) => `${one} ${share(one)}`).join(', ')}`)
}
