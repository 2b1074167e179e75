import type { TaintSource } from './taint-source.ts'

/** One thing that an answer rests on and nobody vouches for, in words: `read_file README.md`, `http_fetch https://example.org`. */
export function describeTaint({ from, name, target }: TaintSource): string {
  if (from === 'memory') return `memory ${name}`
  return target === undefined ? name : `${name} ${target}`
}

/** Whether an answer rests on nothing but files of a folder that nobody trusts: `svc trust` makes them a person's own. */
export const isFolderAlone = (sources: readonly TaintSource[]): boolean =>
  sources.length > 0 && sources.every(({ from }) => from === 'folder')
