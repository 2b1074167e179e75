/** One line of the table: one measure of one component. */
export interface Row {
  component: string
  measure: string
  /** Units measured: questions, runs, conversations. */
  n: number
  /** The same measure of the rule to beat, on the same units; null where there is none. */
  baseline: number | null
  value: number
  /** Bootstrap interval of 95 % over the set's unit; null where the figure is exact. */
  low: number | null
  high: number | null
  /** What is to be reached; null where the row is there for comparison only. */
  aim: number | null
  /** Which way is better; decides whether the aim is a least or a most. Default `more`. */
  better?: 'more' | 'less'
  /** A remark that is printed under the table. */
  note?: string
}

/** Whether the aim is reached, compared as printed: to three places. Null without an aim. */
export function isMet({ aim, value, better }: Pick<Row, 'aim' | 'value' | 'better'>): boolean | null {
  if (aim === null) return null
  const rounded = Math.round(value * 1000) / 1000
  return better === 'less' ? rounded <= aim : rounded >= aim
}
