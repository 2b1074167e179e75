import { type ErrorCode, isErrorCode, SvcError } from '@svc/core'

/** Failures for which an arm is not to blame: the run says nothing about quality, and is made again later. */
const OUTSIDE: ReadonlySet<string> = new Set([
  'provider_unavailable',
  'provider_rate_limited',
  'provider_auth',
  'provider_timeout',
  'rate_limited',
  'too_many_streams',
  'unauthenticated',
  'connection_failed',
  'connection_timeout',
  'queue_full',
  'queue_timeout',
  'shutting_down',
  'store_unavailable',
  'lease_lost',
  'disk_full',
  'cancelled',
] satisfies ErrorCode[])

/** Failures that each further run of the arm would end with: the experiment cannot go on. */
const HOPELESS: ReadonlySet<string> = new Set([
  'model_not_found',
  'no_provider',
  'unknown_provider',
  'config_invalid',
  'plugin_load_failed',
  'replay_diverged',
] satisfies ErrorCode[])

export const isOutside = (code: string): boolean => OUTSIDE.has(code)
export const isHopeless = (code: string): boolean => HOPELESS.has(code)

/** A run that has to be made again, with what it took. */
export class RunAgain extends SvcError {
  readonly used: { inputTokens: number; outputTokens: number; costUsd: number | null }

  constructor(code: string, message: string, used: RunAgain['used']) {
    super(isErrorCode(code) ? code : 'run_failed', message)
    this.used = used
  }
}
