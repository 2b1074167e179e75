import type { ToolCallView } from '../../contracts/run/call-view.ts'

/** The calls of a run without those that were answered from the record of an equal earlier one: they did nothing. */
export const madeCalls = (calls: readonly ToolCallView[]): readonly ToolCallView[] =>
  calls.filter(
    (call, index) => call.startedSeq !== undefined || !calls.slice(0, index).some((earlier) => isSame(earlier, call)),
  )

const isSame = (earlier: ToolCallView, { stepId, tool, args, status, result }: ToolCallView): boolean =>
  status === 'completed' &&
  earlier.status === status &&
  earlier.stepId === stepId &&
  earlier.tool === tool &&
  earlier.result === result &&
  JSON.stringify(earlier.args) === JSON.stringify(args)
