import { isSaidByPerson } from '../../contracts/memory/memory-record.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import { toFullText } from '../media.ts'

/** The text of a run that is evidence beside its task: its context, and what persons had remembered. */
export const toGiven = ({ options, recalled }: Pick<RunContext, 'options' | 'recalled'>): string[] => [
  toFullText(options.context ?? ''),
  ...recalled.filter(isSaidByPerson).map(({ content }) => content),
]
