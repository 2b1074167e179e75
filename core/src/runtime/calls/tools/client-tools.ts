import type { ContentPart } from '../../../contracts/model/message.ts'
import type { JsonSchema } from '../../../contracts/schema.ts'
import { type ClientTool, clientToolId, clientToolName } from '../../../contracts/tool/client-tool.ts'
import type { Tool, ToolAnswer } from '../../../contracts/tool/tool.ts'
import { CancelledError, type FieldError, ToolError } from '../../../errors.ts'
import { findParametersError } from '../../json-schema.ts'
import type { CallContext } from '../call-context.ts'
import { keepWhole, type ToolCallGrant } from './run-tool.ts'

const NO_FIELDS: JsonSchema = { type: 'object', properties: {} }

/** The tools of who asks for a run, by id. */
export const clientToolsOf = (tools: readonly ClientTool[] = []): ReadonlyMap<string, Tool> =>
  new Map(tools.map((tool) => [clientToolId(tool.name), toTool(tool)]))

function toTool({ name, description = '', parameters = NO_FIELDS }: ClientTool): Tool {
  const id = clientToolId(name)
  return {
    id,
    description,
    parameters: { type: 'object', ...parameters },
    // Whether it is done is up to who has it; here nothing changes.
    risk: 'read',
    untrusted: true,
    run: () => Promise.reject(new ToolError('tool_failed', `${id} is called by the client of the run`)),
  }
}

/** What is wrong with the tools of who asks for a run. */
export function findClientToolFaults(tools: readonly ClientTool[] = []): FieldError[] {
  const faults: FieldError[] = []
  const names = new Set<string>()
  for (const [at, { name, parameters }] of tools.entries()) {
    const path = `/clientTools/${at}`
    if (names.has(name)) faults.push({ path: `${path}/name`, message: `names "${name}" again` })
    names.add(name)
    const error = parameters === undefined ? undefined : findParametersError({ type: 'object', ...parameters })
    if (error !== undefined) faults.push({ path: `${path}/parameters${error.path}`, message: error.message })
  }
  return faults
}

/** Has the client make a call, and waits for it, for an hour; then its client has left, and the run ends. */
export async function callClient(
  run: CallContext,
  { id }: Tool,
  args: unknown,
  { recordedAs, site, isTainted }: ToolCallGrant,
): Promise<ToolAnswer> {
  const started = performance.now()
  run.recorder.emit('tool.started', { tool: id, sandbox: 'none', idempotencyKey: recordedAs }, site)
  const asked = { tool: clientToolName(id) ?? id, args }
  const resolution = await run.control.questions.askCall(asked, `${recordedAs}/client`, site)
  if (resolution.kind !== 'result') {
    const reason = `nobody brought the result of ${id}: the client has left`
    run.recorder.emit('run.cancelling', { reason, by: 'expiry' })
    run.stop.stop(new CancelledError('cancelled', reason))
    throw run.stop.reason
  }
  const durationMs = Math.round(performance.now() - started)
  const outcome = { callId: site.callId, trust: 'untrusted' as const, durationMs, ...(isTainted && { tainted: true }) }
  const kept = await keepWhole(run, resolution.content, run.env.toolOutputBytes)
  if (!resolution.isError) return { ok: true, ...outcome, ...kept }
  const error = new ToolError('tool_failed', textOf(kept.content)).toInfo()
  return { ok: false, ...outcome, content: [], error, bytes: 0, truncated: false }
}

const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n')
