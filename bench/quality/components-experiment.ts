/**
 * Which default components earn their cost with the provider `offline`?
 * `npm run bench:components -- --data PATH [--out FOLDER] [--limit N] [--arm ID]`
 *
 * An experiment as `svc experiment` makes it: questions about long conversations, sums, and questions about packages that
 * are installed here, each answered by the defaults and by arms that lack or replace one of them. FOLDER (default a new one
 * in the system's folder for temporary files) holds the tasks' texts: keep it out of the repository. Given again, it goes on
 * where it was. Without the data it says so and exits 0.
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defineExperiment, prepareExperiment, runExperiment, toVerdicts, writeReports } from '@svc/sdk/experiment'
import { ARMS } from './components/arms.ts'
import { toSetTable } from './components/by-set.ts'
import { makeTasks } from './components/make-tasks.ts'
import { createScorer } from './components/score-answer.ts'
import { DataFolder } from './lib/data.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    limit: { type: 'string' },
    arm: { type: 'string', multiple: true },
  },
})
const data = values.data ?? process.env.SVC_QUALITY_DATA ?? ''

if (!existsSync(join(data, 'locomo-dev.json'))) console.log(`no data at "${data}": pass --data PATH; nothing measured`)
else await measure(new DataFolder(data), values.out ?? mkdtempSync(join(tmpdir(), 'svc-components-')))

async function measure(from: DataFolder, out: string): Promise<void> {
  mkdirSync(out, { recursive: true })
  const folder = realpathSync(resolve(out))
  const workspaces = join(folder, 'workspaces')
  rmSync(workspaces, { recursive: true, force: true })
  const { tasks, questions } = await makeTasks(from, workspaces)
  const experiment = defineExperiment({
    tasks,
    base: { config: { provider: 'offline' } },
    arms: { ...ARMS },
    // The provider has no chance in it: another seed repeats the same answers.
    seeds: [1],
    scorer: createScorer(questions),
    // All live, so that every arm's own time and calls are measured.
    replay: 'off',
  })
  const project = join(folder, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  // Its scorer and plugins are values of this process: the file hands them on.
  Reflect.set(globalThis, 'componentsExperiment', experiment)
  const file = join(project, 'experiment.mjs')
  writeFileSync(file, 'export default globalThis.componentsExperiment\n')
  const prepared = await prepareExperiment(file, {
    cwd: project,
    env: { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') },
    trust: true,
    out: join(folder, 'experiment'),
    ...(values.limit === undefined ? {} : { limit: Number(values.limit) }),
    ...(values.arm === undefined ? {} : { arms: values.arm }),
  })
  const began = performance.now()
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(0)} s`
  const outcome = await runExperiment(prepared, {
    onProgress: ({ done, total, rest }) => {
      if (done % 100 !== 0 && done !== total) return
      const left = rest === undefined ? '' : `, about ${(rest.ms / 1000).toFixed(0)} s left`
      const memory = `${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`
      console.log(`${done} of ${total} runs in ${seconds()}${left}, ${memory}`)
    },
  })
  if (outcome.done < outcome.total) console.log(`stopped: ${outcome.stopped}, ${outcome.lastError ?? ''}`)
  const runs = seconds()
  const { report, files } = writeReports(prepared.folder)
  const setOf = new Map(tasks.map(({ id, strata }) => [id, strata?.set ?? '']))
  const sets = toSetTable(outcome.cells, setOf)
  console.log([sets, '', ...toVerdicts(report), '', ...files, `runs ${runs}, with the report ${seconds()}`].join('\n'))
}
