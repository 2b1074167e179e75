import { type ExperimentReport, toMarkdown, toReport } from '../report/index.ts'
import { toCaveat, toFailed } from '../report/to-sections.ts'
import { ExperimentFolder } from './folder.ts'

/** The report of an experiment, and where it was written. */
export interface WrittenReport {
  report: ExperimentReport
  /** Absolute paths of `report.json` and `report.md`. */
  files: readonly string[]
}

/**
 * Makes the report of what is in an experiment's folder, and writes it there as JSON and Markdown.
 *
 * @throws ConfigError `config_invalid` where the folder holds no experiment
 */
export function writeReports(path: string): WrittenReport {
  const folder = new ExperimentFolder(path)
  const report = toReport(folder.getDesign(), folder.cells)
  const forms = { json: `${JSON.stringify(report, null, 2)}\n`, md: toMarkdown(report) }
  return { report, files: Object.entries(forms).map(([ending, text]) => folder.write(`report.${ending}`, text)) }
}

/** What failed, then what an experiment showed, in a sentence for each arm. */
export function toVerdicts(report: ExperimentReport): string[] {
  const { noise, comparisons } = report
  const said = [...(noise === null ? [] : [noise]), ...comparisons].map(({ arm, verdict }) => `${arm}: ${verdict}`)
  return [toCaveat(report) ?? [], `${toFailed(report)}.`, ...said].flat()
}
