import type { Io } from '../frame/io.ts'
import { toLines } from '../render/width.ts'

const BAR = '│'
/** Columns of the bar and the blanks beside it. */
const BAR_COLUMNS = 5

/** A line that somebody else wrote, as rows of the screen behind a bar: none of them looks like a line of svc. */
export const behindBar = (
  line: string,
  { paint, columns, isPlain }: Pick<Io, 'paint' | 'columns' | 'isPlain'>,
  paintOf: (text: string) => string = String,
): string[] => {
  const bar = isPlain ? '|' : paint.dim(BAR)
  return toLines(line, Math.max(2, columns - BAR_COLUMNS)).map((part) => `  ${bar} ${paintOf(part)}`)
}
