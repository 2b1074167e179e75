/**
 * How well does the provider `offline` answer questions about packages that nobody here wrote? `npm run bench:offline --
 * [--show] [package…]`
 *
 * Asks the questions of `questions/`, `unseen/` and `asked/` about copies of the packages in node_modules. The provider is worked on
 * with the first, which `--show` shows with their answers, and with those at even places of the second; of the others, by two more
 * authors, only totals are looked at.
 * Aims: right at least 60 % of those that can be answered, wrong at most 1 % of all.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask } from '../../plugins/test/fixtures/ask-offline.ts'
import { toTable } from '../table.mjs'
import { type Question, type Score, score } from './score.ts'

interface Result {
  kind: string
  score: Score
  tokens: number
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { show: { type: 'boolean' } } })
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

for (const { title, set, isAsked } of [
  { title: 'questions', set: 'questions', isAsked: () => true },
  { title: 'unseen, at even places', set: 'unseen', isAsked: (index: number) => index % 2 === 0 },
  
  
]) {
  const folder = fileURLToPath(new URL(set, import.meta.url))
  const results: Result[] = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const name = file.replace(/\.json$/, '')
    if (positionals.length === 0 || positionals.includes(name))
      results.push(...(await measure(name, join(folder, file), isAsked, values.show === true && true)))
  }
  if (results.length > 0) report(title, results)
}

async function measure(
  name: string,
  file: string,
  isAsked: (index: number) => boolean,
  isShown: boolean,
): Promise<Result[]> {
  const folder = join(mkdtempSync(join(tmpdir(), 'svc-offline-')), name)
  cpSync(join(modules, name), folder, { recursive: true, dereference: true })
  const asked = (JSON.parse(readFileSync(file, 'utf8')) as Question[]).filter((_, index) => isAsked(index))
  const found: Result[] = []
  for (const question of asked) {
    const { text, tokens } = await ask(folder, question.question)
    found.push({ kind: question.kind, score: score(question, text), tokens })
    if (isShown)
      console.log(
        `\n== ${found.at(-1)?.score} · ${question.id} · ${question.kind} · ${tokens} tokens · ${question.question}\n${text}`,
      )
  }
  rmSync(join(folder, '..'), { recursive: true })
  return found
}

function report(title: string, all: readonly Result[]): void {
  const count = (own: readonly Result[], one: Score): number => own.filter((result) => result.score === one).length
  const row = (kind: string, own: readonly Result[]): string[] => [
    kind,
    String(own.length),
    ...(['right', 'honest', 'wrong'] as const).map((one) => String(count(own, one))),
    String(Math.max(0, ...own.map(({ tokens }) => tokens))),
  ]
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort()
  const rows = kinds.map((kind) =>
    row(
      kind,
      all.filter((result) => result.kind === kind),
    ),
  )
  const head = ['kind', 'asked', 'right', 'honest', 'wrong', 'most tokens']
  console.log(`\n${title}\n${toTable(head, [...rows, row('all', all)], [1, 2, 3, 4, 5]).join('\n')}`)
  const answerable = all.filter(({ kind }) => kind !== 'unanswerable')
  console.log(
    `right ${interval(count(answerable, 'right'), answerable.length)} of what can be answered; wrong ${interval(count(all, 'wrong'), all.length)} of all`,
  )
}

/** A share in percent with its 95 % interval (Wilson, 1927). */
function interval(count: number, of: number): string {
  const [n, z] = [Math.max(1, of), 1.96]
  const share = count / n
  const middle = (share + (z * z) / (2 * n)) / (1 + (z * z) / n)
  const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n)
  const percent = (value: number): string => (100 * value).toFixed(1)
  return `${percent(share)} % (${percent(Math.max(0, middle - half))}-${percent(middle + half)}, ${count} of ${of})`
}
