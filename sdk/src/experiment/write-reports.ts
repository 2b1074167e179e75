import { ConfigError } from '@svc/core'
import { ExperimentFolder } from './folder.ts'
import { type ExperimentReport, toHtml, toMarkdown, toReport } from './report/index.ts'

/** The report of an experiment, and where it was written. */
export interface WrittenReport {
  report: ExperimentReport
  /** Absolute paths of `report.json`, `report.md` and `report.html`. */
  files: readonly string[]
}

/**
 * Makes the report of what is in an experiment's folder, and writes it there as JSON, Markdown and HTML.
 *
 * @throws ConfigError `config_invalid` where the folder holds no experiment
 */
export function writeReports(path: string): WrittenReport {
  const folder = new ExperimentFolder(path)
  const design = folder.readDesign()
  if (design === undefined)
    throw new ConfigError('config_invalid', `${path}: holds no experiment yet: run it first, without --report`)
  const report = toReport(design, folder.cells)
  const forms = { json: `${JSON.stringify(report, null, 2)}\n`, md: toMarkdown(report), html: toHtml(report) }
  return { report, files: Object.entries(forms).map(([ending, text]) => folder.write(`report.${ending}`, text)) }
}

/** What an experiment showed, in a sentence for each arm. */
export const toVerdicts = ({ noise, comparisons }: ExperimentReport): string[] =>
  [...(noise === null ? [] : [noise]), ...comparisons].map(({ arm, verdict }) => `${arm}: ${verdict}`)
