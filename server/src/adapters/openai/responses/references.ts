import { type ClientCall, type ExecutionResult, type Run, SvcError } from '@svc/core'
import { runIdOfCall } from '@svc/core/schema'
import type { RouteRequest } from '../../../routes/route.ts'
import { refuse } from '../../shared/fields.ts'
import { readId } from '../../shared/ids.ts'
import { callsOf } from './calls-of.ts'

const MOST = 1_000

/** A run that references name, read once. */
interface Known {
  run: Run
  calls?: ReadonlyMap<string, ClientCall>
}

/**
 * The input of a response with the items themselves in the place of references to those of earlier responses.
 *
 * @throws ValidationError for a reference to nothing, and for more than 1000 of them
 */
export async function resolveReferences({ context }: RouteRequest, input: unknown): Promise<unknown> {
  if (!Array.isArray(input) || !input.some(isReference)) return input
  if (input.filter(isReference).length > MOST) refuse('/input', `may have at most ${MOST} items of type item_reference`)
  const known = new Map<string, Known>()
  const items: unknown[] = []
  for (const [index, item] of input.entries())
    items.push(isReference(item) ? await find(context.runtime, item.id, known, `/input/${index}/id`) : item)
  return items
}

const isReference = (item: unknown): item is { id?: unknown } =>
  typeof item === 'object' && item !== null && (item as { type?: unknown }).type === 'item_reference'

async function find(
  runtime: RouteRequest['context']['runtime'],
  id: unknown,
  known: Map<string, Known>,
  path: string,
): Promise<object> {
  const missing = (): never =>
    refuse(path, `names no item of an earlier response: ${JSON.stringify(id)?.slice(0, 100)}`)
  if (typeof id !== 'string') return missing()
  // Reasoning is not handed on.
  if (id.startsWith('rs_')) return { type: 'reasoning' }
  const message = readId(id, 'msg')
  const callId = id.startsWith('fc_') ? `call_${id.slice('fc_'.length)}` : ''
  const runId = message === undefined ? runIdOfCall(callId) : message.runId
  if (runId === undefined) return missing()
  const found: Known = known.get(runId) ?? {
    run: await runtime.runs.get(runId).catch((thrown) => {
      throw SvcError.isInstance(thrown) && thrown.code !== 'run_not_found' ? thrown : missing()
    }),
  }
  known.set(runId, found)
  if (message !== undefined) {
    const { summary = '' } = (found.run.result ?? {}) as Partial<ExecutionResult>
    return { type: 'message', role: 'assistant', content: summary }
  }
  found.calls ??= await callsOf(runtime, found.run)
  const call = found.calls.get(callId)
  if (call === undefined) return missing()
  return { type: 'function_call', call_id: call.id, name: call.tool, arguments: JSON.stringify(call.args) }
}
