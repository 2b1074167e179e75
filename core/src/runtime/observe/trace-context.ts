import type { RunEvent } from '../../contracts/log/event.ts'
import { nameOf } from '../../support/ids.ts'

/** Where a caller's span stands, as W3C Trace Context says it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** False: the caller records nothing of this trace. */
  isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Reads a `traceparent`; undefined for one that breaks the format, which is to be ignored.
 *
 * @see https://www.w3.org/TR/trace-context/ (a later version may have more fields behind the four)
 */
export function readTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const toTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** The caller's trace that a run belongs to; `first` is the event that made it. */
export const callerOf = (first: RunEvent | undefined): TraceContext | undefined =>
  first?.type === 'run.created' ? readTraceparent(first.data.traceparent) : undefined

/** The trace that a run is: its caller's, else one of its own. */
export const traceIdOf = (runId: string, first: RunEvent | undefined): string =>
  callerOf(first)?.traceId ?? nameOf(32, runId)

/** The span of a run that all others are below. */
export const rootSpanOf = (runId: string): string => nameOf(16, runId, 'run')
