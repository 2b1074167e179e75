import type { Stage } from '../stages/stages.ts'

/** The name of a hook: a stage, or what happens to a call. */
export type HookName = Stage | 'modelRequest' | 'modelResponse' | 'toolRequest' | 'toolResult'
