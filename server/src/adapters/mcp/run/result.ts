import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  type Complexity,
  type ExecutionResult,
  isTerminal,
  type PlanResult,
  type Run,
  SvcError,
  toSvcError,
} from '@svc/core'
import { factsOf } from '../../shared/facts.ts'
import type { RunOutput } from './tools.ts'

/**
 * A run as a tool answers it: its answer as text, its facts as data, its files as links.
 *
 * @param isOwn whether the call made the run, and fails where that failed
 */
export function toResult(run: Run, isOwn: boolean): CallToolResult {
  const output = toOutput(run)
  const isFailed = isOwn && (run.status === 'failed' || run.status === 'cancelled')
  return {
    content: [
      { type: 'text', text: describe(output) },
      ...output.files.map(({ name, uri, mimeType, bytes }) => ({
        type: 'resource_link' as const,
        name,
        uri,
        mimeType,
        size: bytes,
      })),
    ],
    structuredContent: output,
    ...(isFailed && { isError: true }),
  }
}

/** What was refused or went wrong before there was a run, as the model of the client reads it. */
export function toFailure(thrown: unknown): CallToolResult {
  const error = toSvcError(thrown)
  const { code, message, errors = [], retryable } = error
  // What svc did not throw on purpose may say anything: it stays in the log.
  const said = code === 'internal_error' ? 'something went wrong inside svc: its log says more' : message
  const fields = errors
    .filter((field) => !said.includes(field.message))
    .map(({ path, message }) => `${path} ${message}`)
  const text = [`${said} [${code}]`, ...fields, ...(retryable ? ['Trying again later may help.'] : [])].join('\n')
  return { content: [{ type: 'text', text }], isError: true }
}

/** Whether something was thrown by accident. */
export const isUnexpected = (thrown: unknown): boolean => !SvcError.isInstance(thrown)

/** Address of a file as a resource. */
const artifactUri = (runId: string, artifactId: string): string => `svc://runs/${runId}/artifacts/${artifactId}`

function toOutput(run: Run): RunOutput {
  const { id, mode, threadId, error, waiting, usage, costUsd } = run
  const result = run.result as Partial<ExecutionResult & PlanResult & Complexity> | undefined
  const asked = [
    ...(waiting?.approvals ?? []).map(({ id, tool }) => `approval of ${tool} (${id})`),
    ...(waiting?.input === undefined ? [] : [waiting.input.prompt]),
  ]
  return {
    runId: id,
    ...factsOf(run),
    mode,
    summary: result?.summary ?? (mode === 'analyze' ? (result?.explanation ?? []).join('\n') : ''),
    ...(threadId !== undefined && { threadId }),
    ...(error !== undefined && { error }),
    ...(asked.length > 0 && { waitsFor: asked }),
    ...(mode === 'plan' && result?.plan !== undefined && { plan: result.plan }),
    ...(mode === 'analyze' && result !== undefined && { analysis: result as Complexity }),
    usage,
    costUsd,
    files: (result?.artifacts ?? []).map(({ id: artifactId, name, mimeType, bytes }) => ({
      name,
      uri: artifactUri(id, artifactId),
      mimeType,
      bytes,
    })),
  }
}

function describe({ runId, status, verdict, summary, reason, error, waitsFor }: RunOutput): string {
  if (!isTerminal(status)) {
    const why = waitsFor === undefined ? '' : `: ${waitsFor.join('; ')}`
    return `Run ${runId} is ${status}${why}. run_status shows it, run_cancel ends it.`
  }
  const notes = [
    ...(status === 'completed' ? [] : [`The run is ${status}${reasonOf(reason, error)}`]),
    ...(verdict === 'fail' ? ['A check found that this answer is false, or that what was asked was not done.'] : []),
  ]
  return (
    [summary, ...notes.map((note) => `[${note}]`)].filter((part) => part !== '').join('\n\n') ||
    `Run ${runId} is ${status}.`
  )
}

const reasonOf = (reason: string | undefined, error: RunOutput['error']): string =>
  error !== undefined ? `: ${error.message} (${error.code})` : reason !== undefined ? `: ${reason}` : ''
