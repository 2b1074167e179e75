/** Short ones, up to half a minute. */
const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** What waits for models and people. */
const SLOW = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]

/** What is counted. */
export const COUNTERS: readonly (readonly [name: string, help: string, labels: readonly string[]])[] = [
  ['svc_runs_total', 'Runs that have ended; the verdict is that of answers.', ['mode', 'status', 'verdict']],
  ['svc_runs_failed_total', 'Runs that have failed, by the code of their error.', ['code']],
  ['svc_provider_errors_total', 'Model calls that have failed, by the code of their error.', ['provider', 'code']],
  ['svc_recovered_runs_total', 'Runs that were taken up after a crash.', []],
  ['svc_model_requests_total', 'Model calls that have ended.', ['provider', 'model', 'outcome']],
  [
    'svc_tokens_total',
    'Tokens of model calls; cached ones and those of cacheWrite are input too, reasoning is output too.',
    ['provider', 'model', 'type'],
  ],
  ['svc_cost_usd_total', 'Cost of model calls with a price, in US dollars.', ['provider', 'model']],
  ['svc_tool_calls_total', 'Tool calls that have ended.', ['tool', 'outcome']],
  ['svc_policy_denials_total', 'Tool calls that a rule, or a person, refused.', ['rule']],
  ['svc_consensus_total', 'Votes that were counted.', ['outcome']],
  ['svc_log_bytes_total', 'Bytes of JSON that were added to the logs of runs.', []],
  ['svc_http_requests_total', 'Requests that were answered.', ['method', 'route', 'code']],
  ['svc_sse_disconnects_total', 'Event streams that have ended.', ['reason']],
  ['svc_auth_failures_total', 'Requests without a good key.', []],
]

/** What is timed, in seconds, with the bounds of its buckets. */
export const DURATIONS: readonly (readonly [
  name: string,
  help: string,
  labels: readonly string[],
  buckets: number[],
])[] = [
  ['svc_run_duration_seconds', 'Time from the request of a run to its end.', ['mode'], SLOW],
  ['svc_stage_duration_seconds', 'Time of a stage.', ['stage'], [...FAST, 60, 300]],
  ['svc_hook_duration_seconds', 'Time that a plugin took to answer a hook.', ['hook', 'plugin'], [...FAST, 60, 300]],
  ['svc_log_fsync_seconds', 'Time of a write to the store until it was durable.', [], FAST],
  [
    'svc_store_operation_duration_seconds',
    'Time of an operation of the store: write of a run, check of its readiness, read of what waits.',
    ['operation'],
    FAST,
  ],
  ['svc_model_request_duration_seconds', 'Time of a model call.', ['provider', 'model'], SLOW],
  ['svc_model_ttft_seconds', 'Time to the first piece of an answer.', ['provider', 'model'], FAST],
  ['svc_tool_duration_seconds', 'Time of a tool call.', ['tool'], [...FAST, 60]],
  ['svc_http_request_duration_seconds', 'Time of a request, of a stream its whole life.', ['method', 'route'], FAST],
]
