import type { ToolCallView } from '../../contracts/run/call-view.ts'

/** What a tool call came to: its result, its error's message, or why it was denied. */
export const textOf = ({ result, error, denied }: ToolCallView): string =>
  result ?? error?.message ?? denied?.reason ?? ''
