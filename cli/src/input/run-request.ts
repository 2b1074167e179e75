import type { JsonSchema, RunCreate, RunOptions } from '@svc/core'
import type { Flags } from '../frame/flags.ts'
import type { Io } from '../frame/io.ts'
import { defined } from '../line/given-options.ts'
import { readAttachments } from './attachments.ts'
import { readJsonObject } from './read-json.ts'

/** Of `--mode`: whether a run does the work, or reads and plans it. */
const WORK_MODES = ['execute', 'plan'] as const

/** The request that the flags describe. */
export async function toRequest(
  task: string,
  mode: NonNullable<RunCreate['mode']>,
  flags: Flags,
  io: Io,
): Promise<RunCreate> {
  const { maxCost, schema, agent, memory } = flags
  return {
    task,
    mode,
    ...approvalOf(flags, io),
    ...defined({
      riskLevel: flags.risk,
      topology: flags.topology,
      tokenBudget: flags.budget,
      budget: maxCost === undefined ? undefined : { maxCostUsd: maxCost },
      priority: flags.priority,
      temperature: flags.temperature,
      effort: flags.effort,
      maxOutputTokens: flags.maxOutput,
      memory: memory ? undefined : false,
      strict: flags.strict || undefined,
      readOnly: flags.own.oneOf('mode', WORK_MODES) === 'plan' || undefined,
      agents: agent.length === 0 ? undefined : agent,
      context: await readAttachments(flags.file),
      outputSchema: schema === undefined ? undefined : ((await readJsonObject('schema', schema)) as JsonSchema),
    }),
  }
}

function approvalOf({ yes }: Flags, { isInteractive }: Io): Pick<RunOptions, 'approval' | 'allowWrites'> {
  if (isInteractive) return yes ? { approval: 'wait', allowWrites: true } : { approval: 'wait' }
  return { approval: yes ? 'allow-write' : 'deny' }
}
