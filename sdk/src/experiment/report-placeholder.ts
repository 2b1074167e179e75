import type { Cell, ExperimentDesign } from './record.ts'

export interface ExperimentReport {
  name: string
  arms: readonly { id: string; cells: number; quality: number }[]
}

export const toReport = (design: ExperimentDesign, cells: readonly Cell[]): ExperimentReport => ({
  name: design.name,
  arms: design.arms.map(({ id }) => {
    const own = cells.filter(({ arm }) => arm === id)
    return { id, cells: own.length, quality: own.reduce((sum, { score }) => sum + score, 0) / Math.max(1, own.length) }
  }),
})
export const toMarkdown = (report: ExperimentReport): string => `# ${report.name}\n`
export const toHtml = (report: ExperimentReport): string => `<title>${report.name}</title>`
export const toVerdicts = (report: ExperimentReport): string[] =>
  report.arms.map(({ id, quality }) => `${id}: quality ${quality}`)
export const detectableEffect = ({ tasks, sd = 0.17 }: { tasks: number; seeds: number; sd?: number }): number =>
  Math.sqrt((7.84 * sd * sd) / tasks)
