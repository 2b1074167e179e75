/** A place in a list that goes by time, and where the times are equal by id. */
export interface TimePlace {
  /** ISO, in UTC, to the millisecond: such times go by their letters. */
  time: string
  id: string
}

const CURSOR = /^((?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?),(.{1,128})$/s

export const toTimeCursor = ({ time, id }: TimePlace): string => `${time},${id}`

/** The place that a cursor names; undefined for what is none. */
export function readTimeCursor(text: string): TimePlace | undefined {
  const [, time, id] = CURSOR.exec(text) ?? []
  return time === undefined || id === undefined ? undefined : { time, id }
}

/** For sorting: the earlier first. */
export function byTime(a: TimePlace, b: TimePlace): number {
  const [one, other] = a.time === b.time ? [a.id, b.id] : [a.time, b.time]
  return one === other ? 0 : one < other ? -1 : 1
}
