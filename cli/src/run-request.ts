import type { JsonSchema, RunCreate, RunOptions } from '@svc/core'
import { readAttachments } from './attachments.ts'
import type { Flags } from './flags.ts'
import type { Io } from './io.ts'
import { readJsonObject } from './read-json.ts'

/** The request that the flags describe. */
export async function toRequest(
  task: string,
  mode: NonNullable<RunCreate['mode']>,
  flags: Flags,
  io: Io,
): Promise<RunCreate> {
  const context = await readAttachments(flags.file)
  const { maxCost } = flags
  return {
    task,
    mode,
    ...approvalOf(flags, io),
    ...(flags.risk === undefined ? {} : { riskLevel: flags.risk }),
    ...(flags.topology === undefined ? {} : { topology: flags.topology }),
    ...(flags.budget === undefined ? {} : { tokenBudget: flags.budget }),
    ...(maxCost === undefined ? {} : { budget: { maxCostUsd: maxCost } }),
    ...(flags.priority === undefined ? {} : { priority: flags.priority }),
    ...(flags.temperature === undefined ? {} : { temperature: flags.temperature }),
    ...(flags.effort === undefined ? {} : { effort: flags.effort }),
    ...(flags.maxOutput === undefined ? {} : { maxOutputTokens: flags.maxOutput }),
    ...(flags.memory ? {} : { memory: false }),
    ...(flags.agent.length === 0 ? {} : { agents: flags.agent }),
    ...(context === undefined ? {} : { context }),
    ...(flags.schema === undefined
      ? {}
      : { outputSchema: (await readJsonObject('schema', flags.schema)) as JsonSchema }),
  }
}

function approvalOf({ yes }: Flags, { isInteractive }: Io): Pick<RunOptions, 'approval' | 'allowWrites'> {
  if (isInteractive) return yes ? { approval: 'wait', allowWrites: true } : { approval: 'wait' }
  return { approval: yes ? 'allow-write' : 'deny' }
}
