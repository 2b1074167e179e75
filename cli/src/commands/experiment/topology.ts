import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ValidationError } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { invalid } from '../../flags.ts'
import { textOf } from '../../read-options.ts'
import { refuseWords } from '../../refuse-words.ts'

/** Options of `svc experiment <file>` that say how runs are made. */
const OF_RUNS = {
  arm: 'arm',
  limit: 'limit',
  dryRun: 'dry-run',
  report: 'report',
  fresh: 'fresh',
  concurrency: 'concurrency',
}

/** `svc experiment topology <folder|file>`: what the automatic choice of a topology is worth, by what was measured. */
export default async function topology(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('experiment topology', words, 1)
  const { flags, io } = context
  const { rest } = flags
  const [path] = words
  if (path === undefined)
    throw new ValidationError(
      'validation_failed',
      'svc experiment topology needs an experiment: its file, or its folder such as .svc/experiments/<name>',
    )
  for (const [name, flag] of Object.entries(OF_RUNS))
    if (rest[name] !== undefined) throw invalid(flag, 'is of making runs, and svc experiment topology makes none')
  const { locateExperiment, readMeasured, toTopologyMarkdown, toTopologyReport } = await import('@svc/sdk/experiment')
  const given = resolve(flags.cwd ?? process.cwd(), path)
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true
  const out = textOf(rest.out)
  if (isFolder && out !== undefined) throw invalid('out', `names a folder, and ${path} is one: leave one out`)
  const folder = isFolder
    ? given
    : await locateExperiment(path, {
        env: { ...io.env },
        ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
        ...(flags.trust ? { trust: true } : {}),
        ...(flags.config === undefined ? {} : { configFile: flags.config }),
        ...(out === undefined ? {} : { out }),
      })
  const { design, cells } = readMeasured(folder)
  const report = toTopologyReport(design, cells)
  context.print(report, () => toTopologyMarkdown(report).trimEnd())
  return 0
}
