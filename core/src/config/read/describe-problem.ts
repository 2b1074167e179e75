import type { ConfigProblem } from '../loaded-config.ts'
import { shown } from './shown.ts'

/** Which file cannot be used and why, without what to do. */
export const causeOf = ({ file, error }: Pick<ConfigProblem, 'file' | 'error'>): string =>
  (error.message.includes(shown(file)) ? error.message : `${shown(file)}: ${error.message}`).replace(/\.$/, '')

/** What to do about a file that cannot be used. */
export function cureOf({ error }: Pick<ConfigProblem, 'error'>): string {
  if (error.code === 'config_untrusted') return 'look at the file, then svc trust'
  const { install } = error.details ?? {}
  return typeof install === 'string' ? `npm install ${install}` : 'correct or remove the file'
}

/** A drop-in that cannot be used, as one warning: its file, the cause, the cure. */
export function describeProblem(problem: Pick<ConfigProblem, 'file' | 'error'>): string {
  // This error says itself what to do.
  if (problem.error.code === 'config_untrusted') return causeOf(problem)
  const cause = causeOf(problem)
  return `${cause}${/[?!]$/.test(cause) ? '' : '.'} Fix: ${cureOf(problem)}`
}
