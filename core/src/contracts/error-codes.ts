/** Which class has which codes. */
export type ErrorKind =
  | 'validation'
  | 'auth'
  | 'notFound'
  | 'conflict'
  | 'capacity'
  | 'plugin'
  | 'usage'
  | 'config'
  | 'provider'
  | 'tool'
  | 'policy'
  | 'limit'
  | 'run'
  | 'cancelled'
  | 'internal'
  | 'connection'

interface CodeFacts {
  readonly kind: ErrorKind
  readonly status: number
  readonly retryable: boolean
  readonly exitCode: number
}

const facts = (kind: ErrorKind, status: number, retryable: boolean, exitCode: number): CodeFacts => ({
  kind,
  status,
  retryable,
  exitCode,
})
const validation = facts('validation', 400, false, 2)
const notFound = facts('notFound', 404, false, 1)
const conflict = facts('conflict', 409, false, 1)
const plugin = facts('plugin', 500, false, 1)
const usage = facts('usage', 400, false, 2)
const config = facts('config', 500, false, 3)
const tool = facts('tool', 502, false, 1)
const policy = facts('policy', 403, false, 7)
const limit = facts('limit', 500, false, 6)
const run = facts('run', 500, false, 1)

/** HTTP status, whether a retry may help, and the exit code of the CLI, for every code. */
export const ERROR_CODES = {
  validation_failed: validation,
  invalid_cursor: validation,
  invalid_json: validation,
  json_too_deep: validation,
  body_too_large: facts('validation', 413, false, 2),
  unsupported_media_type: facts('validation', 415, false, 2),
  not_acceptable: facts('validation', 406, false, 2),
  idempotency_mismatch: facts('validation', 422, false, 2),
  unauthenticated: facts('auth', 401, false, 4),
  origin_not_allowed: facts('auth', 403, false, 4),
  host_not_allowed: facts('auth', 421, false, 4),
  run_not_found: notFound,
  thread_not_found: notFound,
  agent_not_found: notFound,
  memory_not_found: notFound,
  experiment_not_found: notFound,
  approval_not_found: notFound,
  tool_not_found: notFound,
  artifact_not_found: notFound,
  model_not_found: facts('notFound', 404, false, 5),
  route_not_found: notFound,
  method_not_allowed: facts('notFound', 405, false, 1),
  event_cursor_gone: facts('notFound', 410, false, 1),
  invalid_transition: conflict,
  run_active: conflict,
  files_changed: conflict,
  agent_exists: conflict,
  thread_exists: conflict,
  approval_closed: conflict,
  version_conflict: facts('conflict', 412, false, 1),
  run_not_finished: facts('conflict', 425, false, 1),
  queue_full: facts('capacity', 429, true, 5),
  rate_limited: facts('capacity', 429, true, 5),
  too_many_streams: facts('capacity', 429, true, 5),
  shutting_down: facts('capacity', 503, true, 5),
  store_unavailable: facts('capacity', 503, true, 5),
  lease_lost: facts('capacity', 503, true, 5),
  disk_full: facts('capacity', 503, true, 5),
  sign_in_unavailable: facts('capacity', 503, true, 5),
  stage_unanswered: plugin,
  plugin_failed: plugin,
  plugin_timeout: plugin,
  plugin_duplicate: plugin,
  plugin_answer_invalid: plugin,
  not_connected: usage,
  budget_too_small: usage,
  journal_key_reused: usage,
  config_invalid: config,
  config_untrusted: config,
  plugin_load_failed: config,
  no_provider: config,
  unknown_provider: config,
  provider_auth: facts('provider', 502, false, 5),
  provider_rate_limited: facts('provider', 429, true, 5),
  provider_unavailable: facts('provider', 502, true, 5),
  provider_bad_response: facts('provider', 502, true, 5),
  provider_timeout: facts('provider', 504, true, 5),
  context_overflow: facts('provider', 400, false, 5),
  content_filtered: facts('provider', 400, false, 5),
  tool_failed: tool,
  tool_timeout: tool,
  tool_bad_args: tool,
  tool_output_too_large: tool,
  sandbox_unavailable: tool,
  policy_denied: policy,
  approval_required: policy,
  approval_denied: policy,
  approval_expired: policy,
  ssrf_blocked: policy,
  path_outside_root: policy,
  budget_exhausted: limit,
  max_steps: limit,
  run_timeout: limit,
  loop_detected: limit,
  output_schema_mismatch: limit,
  plan_failed: limit,
  run_failed: run,
  run_poisoned: run,
  queue_timeout: run,
  consensus_not_reached: run,
  plan_invalid: run,
  replay_diverged: run,
  log_corrupt: run,
  cancelled: facts('cancelled', 500, false, 130),
  internal_error: facts('internal', 500, false, 70),
  connection_failed: facts('connection', 502, true, 5),
  connection_timeout: facts('connection', 504, true, 5),
} as const satisfies Record<string, CodeFacts>

export type ErrorCode = keyof typeof ERROR_CODES

/** One thing wrong with an input: a JSON pointer and a sentence. */
export interface FieldError {
  path: string
  message: string
}
