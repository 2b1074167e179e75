const ID = /^([a-z]{2,8})_([0-9A-HJKMNP-TV-Z]{26})((?:_\d{1,15})*)$/

/** Id of what an answer shows of a run, which comes back with later requests. @param numbers what tells it from others */
export const toId = (prefix: string, runId: string, ...numbers: number[]): string =>
  [prefix, runId.slice('run_'.length), ...numbers].join('_')

/** The run, and the numbers, of an id with one of some prefixes; undefined for what is no such id. */
export function readId(id: string, ...prefixes: string[]): { runId: string; numbers: number[] } | undefined {
  const [, prefix = '', ulid, numbers = ''] = ID.exec(id) ?? []
  if (ulid === undefined || !prefixes.includes(prefix)) return undefined
  return { runId: `run_${ulid}`, numbers: numbers.split('_').slice(1).map(Number) }
}
