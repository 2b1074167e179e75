import type { ForkInput, ToolCallView } from '@svc/core/client'

/** What a run was begun with, as far as a fork may change it. */
export interface ForkBase {
  task: string
  model: string
  context: string
  /** The tool call that is to have another result. */
  call: ToolCallView | undefined
}

/** What a form changes: fields that say what they said before are left out. */
export function toEdits(base: ForkBase, field: (name: string) => string): NonNullable<ForkInput['edits']> {
  const edits: NonNullable<ForkInput['edits']> = {}
  if (field('task') !== base.task) edits.task = field('task')
  const model = field('model').trim()
  if (model !== base.model && model !== '') edits.model = model
  if (field('context') !== base.context) edits.prompt = field('context')
  const { call } = base
  if (call !== undefined && field('result') !== (call.result ?? '')) {
    edits.toolResults = { [call.callId]: field('result') }
  }
  return edits
}
