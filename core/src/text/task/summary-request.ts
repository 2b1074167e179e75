import type { RunCreate } from '../../contracts/run/run.ts'

/**
 * The run that sums up the conversation that it is a run of: one agent that reads it and nothing else.
 *
 * @param focus what matters most; empty: nothing above the rest
 */
export function toSummaryRequest(focus: string): RunCreate {
  const task =
    'Sum up this conversation, so that it can go on from your summary alone: what was asked and why, what was found and decided, what is done and what is open. Keep names, paths, figures and commands word for word, and add nothing.'
  return {
    task: focus === '' ? task : `${task}\n\nAbove all: ${focus}`,
    summarizes: true,
    topology: 'SINGLE',
    tools: { allow: [] },
    consensus: false,
    reflect: false,
    memory: false,
  }
}
