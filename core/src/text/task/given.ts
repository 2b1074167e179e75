import { isSaidByPerson } from '../../contracts/memory/memory-record.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import { toFullText } from '../media/media.ts'

/** The text of a run that is evidence beside its task: its context, its thread, and what persons had remembered. */
export const toGiven = ({
  options,
  thread,
  recalled,
}: Pick<RunContext, 'options' | 'thread' | 'recalled'>): string[] => [
  ...thread.flatMap(({ content, context = '' }) => [content, toFullText(context)]),
  toFullText(options.context ?? ''),
  ...recalled.filter(isSaidByPerson).map(({ content }) => content),
]
