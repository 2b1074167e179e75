import type { Material } from '../material.ts'
import { agrees, type Figure, toValues } from './figures.ts'
import { follows } from './find-unfounded.ts'

const MAX_ROWS = 2_000
/** So many numbers of one result are put in pairs. */
const MOST_PAIRED = 150
const MOST_COUNTED = 1_000

/** Whether a figure can be a count of what was read, or follow from two numbers or from rows of one label: then nothing refutes it. */
export function mayFollow(figure: Figure, material: Material): boolean {
  const pools = material.once('pools', () => {
    const own = [...toValues(`${material.task.description}\n${material.prose}`)]
    const texts = [material.done.map(({ text }) => text).join('\n'), ...material.given]
    return texts.map((text) => ({
      values: [...new Set([...toValues(text), ...own, ...groupTotals(text)])],
      lines: text.split('\n').length,
    }))
  })
  return pools.some(({ values, lines }) => {
    if (Number.isInteger(figure.value) && figure.value <= Math.min(lines, MOST_COUNTED)) return true
    if (values.length > MOST_PAIRED) return true
    const others = values.filter((value) => value !== Math.abs(figure.value))
    return others.some((a, i) => agrees(figure, a) || others.some((b, j) => i !== j && follows(figure, a, b)))
  })
}

/** Of rows with cells: the sum of each column over the rows that share a cell. */
function groupTotals(text: string): number[] {
  const totals = new Map<string, number>()
  for (const row of text.split('\n').slice(0, MAX_ROWS)) {
    const cells = row.split(/[,;\t|]/).map((cell) => cell.trim())
    if (cells.length < 2) continue
    cells.forEach((cell, at) => {
      const value = Number(cell.replace(',', '.'))
      if (cell === '' || !Number.isFinite(value)) return
      for (const other of cells) {
        if (other === cell || other === '' || Number.isFinite(Number(other))) continue
        totals.set(`${at} ${other}`, (totals.get(`${at} ${other}`) ?? 0) + value)
      }
    })
  }
  return [...totals.values()].map((total) => Number(total.toPrecision(12)))
}
