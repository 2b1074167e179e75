import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'
import { invalid } from '../../line/wrong.ts'
import { placesOf } from '../../session/start-own.ts'

/** `svc experiment topology <folder|file>`: what the automatic choice of a topology is worth, by what was measured. */
export default async function topology(context: CommandContext, [path = '']: string[]): Promise<number> {
  const { flags, io } = context
  const { locateExperiment, readMeasured, toTopologyMarkdown, toTopologyReport } = await import('@svc/sdk/experiment')
  const given = resolve(flags.cwd ?? process.cwd(), path)
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true
  const out = flags.own.text('out')
  if (isFolder && out !== undefined) throw invalid('out', `names a folder, and ${path} is one: leave one out`)
  const folder = isFolder
    ? given
    : await locateExperiment(path, {
        env: { ...io.env },
        ...placesOf(flags),
        ...defined({ out }),
      })
  const { design, cells } = readMeasured(folder)
  const report = toTopologyReport(design, cells)
  context.print(report, () => toTopologyMarkdown(report).trimEnd())
  return 0
}
