import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFoundError } from '@svc/core'
import { fits, IsoTime, Slug, Texts } from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { readPlainFile } from './read-file.ts'
import { ReportShown } from './report.ts'

/** The name of an experiment, and of its folder. */
export const ExperimentId = Slug('of an experiment')

/** An experiment in a list. */
export const ExperimentItem = Type.Object({
  id: ExperimentId,
  arms: Texts('ids, the base first'),
  tasks: Type.Integer(),
  runs: Type.Object({ made: Type.Integer(), planned: Type.Integer() }),
  failedRuns: Type.Integer(),
  changedAt: IsoTime('when its report was written, or its design where there is no report yet'),
  verdict: Type.Optional(Type.String({ description: 'of the first arm against the base; absent: no report yet' })),
})
export type ExperimentItem = Static<typeof ExperimentItem>

const DesignShown = Type.Object({
  format: Type.Literal(1),
  arms: Type.Array(Type.Object({ id: Type.String() })),
  tasks: Type.Array(Type.Unknown()),
  seeds: Type.Array(Type.Number()),
})

const MOST = 100
const REPORT_BYTES = 2 * 1024 * 1024
const DESIGN_BYTES = 8 * 1024 * 1024
const CELLS_BYTES = 32 * 1024 * 1024

/** The experiments of a folder, the newest first, at most a hundred. What is no experiment, or cannot be read, is left out. */
export async function listExperiments(folder: string | undefined): Promise<ExperimentItem[]> {
  const found: ExperimentItem[] = []
  for (const name of await namesIn(folder)) {
    const item = await readItem(join(folder ?? '', name), name)
    if (item !== undefined) found.push(item)
  }
  return found.sort((a, b) => (a.changedAt < b.changedAt ? 1 : -1)).slice(0, MOST)
}

/** @throws NotFoundError `experiment_not_found` where there is none, no report of it, or one that cannot be read */
export async function readReport(folder: string | undefined, id: string): Promise<ReportShown> {
  const gone = (why: string): NotFoundError => new NotFoundError('experiment_not_found', `experiment "${id}": ${why}`)
  if (folder === undefined || !(await namesIn(folder)).includes(id))
    throw gone('there is none in .svc/experiments of this folder')
  const file = await readPlainFile(join(folder, id, 'report.json'), REPORT_BYTES)
  if (file === undefined)
    throw gone('it has no report yet; svc experiment <file> makes its runs, and --report the report of those there are')
  const report = parsed(file.text)
  if (!fits(ReportShown, report))
    throw gone('its report.json is of another version; svc experiment <file> --report writes it anew')
  return report
}

async function namesIn(folder: string | undefined): Promise<string[]> {
  try {
    if (folder === undefined || (await realpath(folder)) !== folder) return []
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory() && fits(ExperimentId, entry.name)).map(({ name }) => name)
  } catch {
    return []
  }
}

async function readItem(path: string, id: string): Promise<ExperimentItem | undefined> {
  const report = await readPlainFile(join(path, 'report.json'), REPORT_BYTES)
  const shown = report && parsed(report.text)
  if (report !== undefined && fits(ReportShown, shown)) {
    const { arms, sample, comparisons } = shown
    const [first] = comparisons
    return {
      id,
      arms: arms.map((arm) => arm.id),
      tasks: sample.tasks,
      runs: { made: sample.cells, planned: sample.planned },
      failedRuns: arms.reduce((sum, { failed }) => sum + failed.runs, 0),
      changedAt: report.changedAt.toISOString(),
      ...(first !== undefined && { verdict: `${first.arm}: ${first.verdict}` }),
    }
  }
  const design = await readPlainFile(join(path, 'design.json'), DESIGN_BYTES)
  const planned = design && parsed(design.text)
  if (design === undefined || !fits(DesignShown, planned)) return undefined
  const { arms, tasks, seeds } = planned
  const cells = (await readPlainFile(join(path, 'cells.jsonl'), CELLS_BYTES))?.text ?? ''
  return {
    id,
    arms: arms.map((arm) => arm.id),
    tasks: tasks.length,
    runs: { made: cells.split('\n').length - 1, planned: arms.length * tasks.length * seeds.length },
    failedRuns: 0,
    changedAt: design.changedAt.toISOString(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
