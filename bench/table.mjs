/**
 * The lines of a table whose columns are as wide as their longest cell.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @param {readonly number[]} [right] the columns, from 0, whose cells stand at the right
 */
export function toTable(head, rows, right = []) {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)))
  return lines.map((cells) =>
    cells
      .map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd(),
  )
}
